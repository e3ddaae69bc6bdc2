# burn.rb LIBRARY SECONDS: calls a function in C whose stacks the loader walks.

require 'fiddle'

BURN = Fiddle::Function.new(Fiddle.dlopen(ARGV[0])['burn'], [Fiddle::TYPE_LONG], Fiddle::TYPE_VOID)

def inner
  BURN.call(1_000_000)
end

# By way of a method of Ruby itself, in C.
def outer
  [1, 2].each { inner }
end

done = Process.clock_gettime(Process::CLOCK_MONOTONIC) + ARGV[1].to_f
outer while Process.clock_gettime(Process::CLOCK_MONOTONIC) < done
