#include "compare/dist.h"

#include <math.h>
#include <stddef.h>

#include "base/vec.h"

#define STEPS_MOST 500
#define TINY	   1e-300
#define EXACT	   1e-15
#define ASYMPTOTIC 15. /* from here on the series below are good to 1e-15 */

/* A polynomial, its highest coefficient first. */
static double polynomial(const double *c, size_t n, double x)
{
	double sum = c[0];

	for (size_t i = 1; i < n; i++)
		sum = sum * x + c[i];
	return sum;
}

/* The three ranges of AS 241: numerator and denominator of each. */
#define AS241 8
static const double centre[2][AS241] = {
	{2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
	 13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608},
	{5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
	 5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.},
};
static const double tail[2][AS241] = {
	{7.7454501427834140764e-4, .0227238449892691845833, .24178072517745061177,
	 1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055,
	 4.6303378461565452959, 1.42343711074968357734},
	{1.05075007164441684324e-9, 5.475938084995344946e-4, .0151986665636164571966,
	 .14810397642748007459, .68976733498510000455, 1.6763848301838038494,
	 2.05319162663775882187, 1.},
};
static const double far_tail[2][AS241] = {
	{2.01033439929228813265e-7, 2.71155556874348757815e-5, .0012426609473880784386,
	 .026532189526576123093, .29656057182850489123, 1.7848265399172913358,
	 5.4637849111641143699, 6.6579046435011037772},
	{2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5,
	 7.868691311456132591e-4, .0148753612908506148525, .13692988092273580531,
	 .59983220655588793769, 1.},
};

double normal_quantile(double p)
{
	const double q = p - .5;
	double r, z;

	if (!(p > 0 && p < 1))
		return NAN;
	if (fabs(q) <= .425) {
		r = .180625 - q * q;
		return q * polynomial(centre[0], AS241, r) / polynomial(centre[1], AS241, r);
	}
	r = sqrt(-log(q < 0 ? p : 1 - p));
	if (r <= 5) {
		z = polynomial(tail[0], AS241, r - 1.6) / polynomial(tail[1], AS241, r - 1.6);
	} else {
		z = polynomial(far_tail[0], AS241, r - 5) / polynomial(far_tail[1], AS241, r - 5);
	}
	return q < 0 ? -z : z;
}

static double away_from_0(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/* The continued fraction of I_x(a, b), for x < (a+1)/(a+b+2), where it converges fast. */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 / away_from_0(1 - (a + b) * x / (a + 1)), h = d;

	for (int m = 1; m < STEPS_MOST; m++) {
		const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / away_from_0(1 + even * d);
		c = away_from_0(1 + even / c);
		h *= d * c;
		d = 1 / away_from_0(1 + odd * d);
		c = away_from_0(1 + odd / c);
		step = d * c;
		h *= step;
		if (fabs(step - 1) < EXACT)
			break;
	}
	return h;
}

/* log Γ without the global sign that lgamma(3) writes. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

double beta_below(double x, double a, double b)
{
	double front;

	if (!(a > 0 && b > 0) || isnan(x))
		return NAN;
	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/* Above this Student's t is as good as the normal distribution, and the fraction converges slowly.
 */
#define DF_NORMAL 2e5

double student_two_sided(double t, double df)
{
	if (!(df > 0) || isnan(t))
		return NAN;
	if (isinf(t))
		return 0;
	if (df > DF_NORMAL)
		return erfc(fabs(t) / M_SQRT2);
	return beta_below(df / (df + t * t), df / 2, .5);
}

static double student_density(double t, double df)
{
	return exp(log_gamma((df + 1) / 2) - log_gamma(df / 2) - (df + 1) / 2 * log1p(t * t / df)) /
	       sqrt(df * M_PI);
}

/* Newton's steps from z within a bracket; the tail is convex, so few are needed. */
double student_two_sided_quantile(double p, double df)
{
	double low = 0, high = INFINITY, t;

	if (!(p > 0 && p <= 1 && df > 0))
		return NAN;
	t = p == 1 ? 0 : normal_quantile(1 - p / 2);
	if (df > DF_NORMAL || t == 0)
		return t;
	for (int i = 0; i < STEPS_MOST; i++) {
		const double off = student_two_sided(t, df) - p;
		double next;

		if (off > 0)
			low = t;
		else
			high = t;
		next = t + off / (2 * student_density(t, df));
		if (!(next > low && next < high))
			next = isinf(high) ? 2 * t + 1 : low + (high - low) / 2;
		if (fabs(next - t) <= 1e-12 * t)
			return next;
		t = next;
	}
	return t;
}

double fisher_above(double f, double d1, double d2)
{
	if (!(f >= 0 && d1 > 0 && d2 > 0))
		return NAN;
	if (isinf(d2))
		d2 = DF_NORMAL;
	return beta_below(d2 / (d2 + d1 * f), d2 / 2, d1 / 2);
}

double digamma(double x)
{
	double sum = 0, r;

	if (!(x > 0))
		return NAN;
	for (; x < ASYMPTOTIC; x++)
		sum -= 1 / x;
	r = 1 / (x * x);
	return sum + log(x) - .5 / x -
	       r * (1. / 12 - r * (1. / 120 - r * (1. / 252 - r * (1. / 240 - r / 132))));
}

double trigamma(double x)
{
	double sum = 0, r;

	if (!(x > 0))
		return NAN;
	for (; x < ASYMPTOTIC; x++)
		sum += 1 / (x * x);
	r = 1 / (x * x);
	return sum + .5 * r +
	       (1 + r * (1. / 6 - r * (1. / 30 - r * (1. / 42 - r * (1. / 30 - r * 5 / 66))))) / x;
}

double tetragamma(double x)
{
	double sum = 0, r;

	if (!(x > 0))
		return NAN;
	for (; x < ASYMPTOTIC; x++)
		sum -= 2 / (x * x * x);
	r = 1 / (x * x);
	return sum -
	       r * (1 + 1 / x + r * (.5 - r * (1. / 6 - r * (1. / 6 - r * (3. / 10 - r * 5 / 6)))));
}

double trigamma_inverse(double y)
{
	double x;

	if (!(y > 0))
		return NAN;
	/* ψ'(x) is 1/x² near 0, and 1/x far out: Newton's method would lose all digits there. */
	if (y > 1e7)
		return 1 / sqrt(y);
	if (y < 1e-6)
		return 1 / y;
	x = .5 + 1 / y;
	for (int i = 0; i < STEPS_MOST; i++) {
		const double tri = trigamma(x), step = tri * (1 - tri / y) / tetragamma(x);

		x += step;
		if (-step / x < 1e-12)
			break;
	}
	return x;
}

double mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return n ? sum / (double)n : NAN;
}

double variance_of(const double *values, size_t n)
{
	const double mean = mean_of(values, n);
	double sum = 0;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum / (double)(n - 1);
}

void squares_add(const double *values, size_t n, double *squares, double *df)
{
	if (n < 2)
		return;
	*squares += variance_of(values, n) * (double)(n - 1);
	*df += (double)(n - 1);
}

int by_double(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return order_up(x, y);
}

double median_of(const double *values, size_t n)
{
	_free_ double *sorted = mem_zalloc(n + 1, sizeof(*sorted));

	if (!n)
		return NAN;
	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_double);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double mad_of(const double *values, size_t n, double middle)
{
	_free_ double *far = mem_zalloc(n + 1, sizeof(*far));

	for (size_t i = 0; i < n; i++)
		far[i] = fabs(values[i] - middle);
	return median_of(far, n);
}
