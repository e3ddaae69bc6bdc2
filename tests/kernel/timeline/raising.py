"""Raises exceptions so often as timeline_raising.test knows: of Own 260 by statements, and 10 more
that are thrown into a generator; of Sub 10; of others of Python's own 50 each."""


class Own(Exception):
    pass


class Sub(Own):
    pass


def raiser():
    raise Own("x")


def no_arguments():
    raise Own


def through(n):
    if n:
        through(n - 1)
    else:
        raise Own(1)


def again():
    try:
        raiser()
    except Own:
        raise


def chain():
    try:
        raiser()
    except Own as e:
        raise Sub("y") from e


def at_last():
    try:
        raiser()
    finally:
        pass


def generator():
    yield 1
    raise Own


def thrown_into():
    g = generator()
    next(g)
    g.throw(Own())


def in_a_list():
    list(generator())


def in_a_key():
    sorted([1, 2], key=lambda x: raiser())


def times(n, f, *args):
    for _ in range(n):
        try:
            f(*args)
        except Own:
            pass


times(100, raiser)
times(100, no_arguments)
for f in again, chain, at_last, in_a_list, in_a_key, thrown_into:
    times(10, f)
times(10, through, 9)


def others(f, type):
    for _ in range(50):
        try:
            f()
        except type:
            pass


others(lambda: {}["no"], KeyError)
others(lambda: int("no"), ValueError)
others(lambda: 1 / 0, ZeroDivisionError)
others(lambda: (1).no, AttributeError)
