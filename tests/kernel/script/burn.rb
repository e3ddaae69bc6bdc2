# burn.rb LIBRARY SECONDS FUNCTION: calls a function in C, of beyond_rules.c.

require 'fiddle'

BURN = Fiddle::Function.new(Fiddle.dlopen(ARGV[0])[ARGV[2]], [Fiddle::TYPE_LONG], Fiddle::TYPE_VOID)

def inner
  BURN.call(1_000_000)
end

# By way of a method of Ruby itself, in C.
def outer
  [1, 2].each { inner }
end

def now
  Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

# So that eprof knows the interpreter when the function is called first.
start = now + 0.5
nil while now < start
outer while now < start + ARGV[1].to_f
