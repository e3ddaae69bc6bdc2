#include "symbol/sourcetext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "crew/crew.h"
#include "select/source_spots.h"

#define CPU_S	   5
#define PIECE	   65536
#define TAB_STOP   8
#define LINES_MOST 20000 /* read of a file */

/* A wanted file, and the lines to read. */
struct wanted {
	uint32_t file; /* its path, a string of the profile */
	const struct source_span *spans;
	size_t n;
	int fd; /* -1: cannot be read */
};

/* An answer: this head, then for each line an answer_line and its text, padded to 4 bytes. */
struct answer {
	uint32_t task, lines;
	uint32_t bytes; /* of the answer, with this head */
};
struct answer_line {
	uint32_t line, bytes; /* bytes: length of the text */
};

struct run {
	struct profile *p;
	VEC(struct wanted) files;
	const struct answer *answer; /* the last answer */
	size_t kept;		     /* bytes of text kept so far */
	struct sourcetext_report *report;
};

/* --- in the worker process ----------------------------------------------------------------------
 */

/* The state of reading one file. */
struct reading {
	const struct wanted *w;
	uint32_t line; /* the current line, from 1 */
	size_t span;
	struct str text; /* of the current line, up to SOURCETEXT_LINE_BYTES */
	struct str out;	 /* the answer's lines */
	uint32_t lines;
};

static void put_line(struct reading *r)
{
	const struct answer_line head = {r->line, (uint32_t)r->text.n};

	str_addn(&r->out, (const char *)&head, sizeof(head));
	str_addn(&r->out, str_text(&r->text), r->text.n);
	while (r->out.n % 4)
		str_addc(&r->out, '\0');
	r->lines++;
}

static bool is_in_span(const struct reading *r)
{
	return r->span < r->w->n && r->line >= r->w->spans[r->span].first;
}

static void end_line(struct reading *r)
{
	if (is_in_span(r))
		put_line(r);
	r->text.n = 0;
	r->line++;
	while (r->span < r->w->n && r->line >= r->w->spans[r->span].end)
		r->span++;
}

static void take_byte(struct reading *r, char c)
{
	if (c == '\n') {
		end_line(r);
		return;
	}
	if (!is_in_span(r) || r->text.n >= SOURCETEXT_LINE_BYTES || c == '\r')
		return;
	if (c != '\t') {
		str_addc(&r->text, c);
		return;
	}
	do
		str_addc(&r->text, ' ');
	while (r->text.n % TAB_STOP);
}

/* False: it is not text. */
static bool take_piece(struct reading *r, const char *piece, size_t n)
{
	if (memchr(piece, '\0', n))
		return false;
	for (size_t i = 0; i < n && r->span < r->w->n && r->lines < LINES_MOST; i++)
		take_byte(r, piece[i]);
	return true;
}

/* Reads up to the last wanted line. */
static void read_lines(struct reading *r, int fd)
{
	_free_ char *piece = mem_zalloc(PIECE, 1);
	size_t all = 0;
	ssize_t n = 0;

	while (fd >= 0 && r->span < r->w->n && r->lines < LINES_MOST &&
	       all < SOURCETEXT_FILE_BYTES && (n = read(fd, piece, PIECE)) > 0) {
		if (!take_piece(r, piece, (size_t)n)) {
			r->lines = 0;
			r->out.n = 0;
			return;
		}
		all += (size_t)n;
	}
	/* The last line may lack a newline. */
	if (r->text.n && r->lines < LINES_MOST)
		end_line(r);
}

static int answer_lines(void *begun, const struct crew_request *request)
{
	const struct wanted w = {.spans = request->bytes,
				 .n = request->n / sizeof(struct source_span)};
	struct reading r = {.w = &w, .line = 1};
	struct answer a = {.task = request->task};
	int rc;

	(void)begun;
	read_lines(&r, request->n_fds ? request->fds[0] : -1);
	a.lines = r.lines;
	a.bytes = (uint32_t)(sizeof(a) + r.out.n);
	rc = file_put(request->out_fd, (const char *)&a, sizeof(a));
	if (!rc && r.out.n)
		rc = file_put(request->out_fd, r.out.s, r.out.n);
	str_release(&r.text);
	str_release(&r.out);
	return rc;
}

static const struct crew_service service = {.run = answer_lines};

/* --- in the loader ---------------------------------------------------------------------------- */

/* Parses the line at offset @at of an answer of @n bytes; returns its length, 0: it is
 * incomplete. */
static size_t line_at(const char *bytes, size_t n, size_t at, struct answer_line *head)
{
	size_t length;

	if (n - at < sizeof(*head))
		return 0;
	memcpy(head, bytes + at, sizeof(*head));
	/* A tab may extend past the limit. */
	if (!head->line || head->bytes > SOURCETEXT_LINE_BYTES + TAB_STOP)
		return 0;
	length = sizeof(*head) + (head->bytes + 3) / 4 * 4;
	return length <= n - at ? length : 0;
}

static size_t read_answer(void *context, const void *bytes, size_t n, uint32_t *task)
{
	struct run *r = context;
	const struct answer *a = bytes;
	struct answer_line head;
	size_t at = sizeof(*a);

	if (n < sizeof(*a) || a->bytes < sizeof(*a) || a->bytes > n || a->bytes % 4 ||
	    a->task >= r->files.n || a->lines > LINES_MOST)
		return 0;
	for (uint32_t i = 0; i < a->lines; i++) {
		const size_t length = line_at(bytes, a->bytes, at, &head);

		if (!length)
			return 0;
		at += length;
	}
	if (at != a->bytes)
		return 0;
	r->answer = a;
	*task = a->task;
	return a->bytes;
}

static bool is_wanted(const struct wanted *w, uint32_t line)
{
	for (size_t i = 0; i < w->n; i++)
		if (line >= w->spans[i].first && line < w->spans[i].end)
			return true;
	return false;
}

/* Lines must ascend; lines that were not wanted are dropped. */
static bool take_answer(void *context, size_t task)
{
	struct run *r = context;
	const struct wanted *w = &r->files.at[task];
	const char *bytes = (const char *)r->answer;
	size_t at = sizeof(*r->answer), length;
	struct answer_line head;
	uint32_t last = 0;

	for (uint32_t i = 0; i < r->answer->lines; i++, at += length) {
		_free_ char *clean = NULL;

		length = line_at(bytes, r->answer->bytes, at, &head);
		if (head.line <= last || !is_wanted(w, head.line))
			return false;
		last = head.line;
		r->kept += head.bytes;
		if (r->kept > SOURCETEXT_BYTES)
			break;
		clean = str_clean(bytes + at + sizeof(head), head.bytes);
		vec_push(&r->p->source_lines,
			 ((struct source_line){w->file, head.line,
					       intern_add(&r->p->strings, clean)}));
		r->report->lines++;
	}
	r->report->read += r->answer->lines > 0;
	return true;
}

static void add_files(struct run *r, const source_spans *spans)
{
	for (size_t i = 0; i < spans->n; i++) {
		struct wanted *last = r->files.n ? &r->files.at[r->files.n - 1] : NULL;

		if (last && last->file == spans->at[i].file) {
			last->n++;
			continue;
		}
		if (r->files.n == SOURCETEXT_FILES)
			return;
		vec_push(&r->files, ((struct wanted){spans->at[i].file, &spans->at[i], 1, -1}));
	}
}

static void ask(void *context, size_t task, struct crew_ask *a)
{
	const struct run *r = context;
	const struct wanted *w = &r->files.at[task];

	str_addn(&a->bytes, (const char *)w->spans, w->n * sizeof(*w->spans));
	crew_lend(a, w->fd);
}

/* Returns @fd, or closes it and returns -1 if the file is too large. */
static int checked(int fd)
{
	struct stat st;

	if (fd < 0 ||
	    (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= SOURCETEXT_FILE_BYTES))
		return fd;
	close(fd);
	return -1;
}

static void open_files(struct run *r, sourcetext_open *open_all, void *context)
{
	_free_ uint32_t *files = mem_zalloc(r->files.n + 1, sizeof(*files));
	_free_ int *fds = mem_zalloc(r->files.n + 1, sizeof(*fds));

	for (size_t i = 0; i < r->files.n; i++)
		files[i] = r->files.at[i].file;
	open_all(context, r->p, files, r->files.n, fds);
	for (size_t i = 0; i < r->files.n; i++)
		r->files.at[i].fd = checked(fds[i]);
}

static void release(struct run *r)
{
	for (size_t i = 0; i < r->files.n; i++)
		if (r->files.at[i].fd >= 0)
			close(r->files.at[i].fd);
	vec_release(&r->files);
}

void sourcetext_add(struct profile *p, sourcetext_open *open_all, void *context,
		    struct sourcetext_report *report)
{
	struct run r = {.p = p, .report = report};
	struct crew crew = {.service = &service,
			    .ask = ask,
			    .read = read_answer,
			    .take = take_answer,
			    .context = &r};
	source_spans spans = {0};

	*report = (struct sourcetext_report){0};
	source_wanted(p, &spans);
	add_files(&r, &spans);
	open_files(&r, open_all, context);
	report->files = crew.n = r.files.n;
	crew.tasks = mem_zalloc(crew.n + 1, sizeof(*crew.tasks));
	for (size_t i = 0; i < crew.n; i++)
		crew.tasks[i] = (struct crew_task){
			.cost = i, .cpu_s = CPU_S, .output_bytes = SOURCETEXT_BYTES};
	crew_run(&crew);
	if (p->source_lines.n)
		profile_add_part(p, PART_SOURCE);
	free(crew.tasks);
	release(&r);
	vec_release(&spans);
}
