# shapes.rb SECONDS: runs shapes of Ruby calls for that much CPU time. Which functions a line calls stands
# beside it, for judge_calls.py, which also reads the next two lines.
# outermost: block in fibers, block in threads, numbers
# evaluated: spin, named

def spin(n = 100)
  x = 1
  i = 0
  while i < n
    x = (x * 31 + i) & 0xffff
    i += 1
  end
  x
end

def recursion(n)
  if n == 0
    spin # calls: spin
  elsif n.odd? # calls: odd?
    recursion(n - 1) + 1 # calls: recursion
  else
    1 +
      recursion(n - 1) # calls: recursion
  end
end

def deep
  recursion(1000) # calls: recursion
end

class Base # calls: <class:Base>
  include Comparable
  attr_reader :n

  def initialize(n)
    @n = spin(n) # calls: spin
  end

  def run(n)
    inner(n) + self.class.fixed(n) # calls: inner, class, fixed
  end

  def inner(n)
    spin(n) # calls: spin
  end
  private :inner

  def self.fixed(n)
    spin(n) + late(n) # calls: spin, late
  end

  def self.late(n)
    spin(n) # calls: spin
  end

  def <=>(other)
    spin(40) # calls: spin
    n <=> other.n
  end

  def to_s
    spin(60).to_s # calls: spin
  end

  def method_missing(name, *arguments)
    spin(arguments[0]) # calls: spin
  end

  def respond_to_missing?(name, all = false)
    spin(30) > 0 # calls: spin
  end

  def yielding(n)
    yield spin(n) # calls: spin, block in blocks, block (2 levels) in blocks
  end

  define_method(:defined) do |n|
    spin(n) # calls: spin
  end
end

class Derived < Base # calls: <class:Derived>
  def self.late(n)
    super + spin(n) # calls: late, spin
  end

  def run(n)
    super(n) + # calls: run
      spin(n) # calls: spin
  end
end

def objects
  a = Base.new(50) # calls: initialize
  b = Derived.new(50) # calls: initialize
  a.run(60) + b.run(60) # calls: run
end

def magic
  a = Base.new(20) # calls: initialize
  a.nothing(90) # calls: method_missing
  a.respond_to?(:more) # calls: respond_to_missing?
  a.defined(80) # calls: block in <class:Base>
  "#{a}" # calls: to_s
  a.public_send(:run, 40) # calls: run
end

def sorting
  all = [3, 1, 2].map { |v| Base.new(v * 10) } # calls: block in sorting, initialize
  all.sort # calls: <=>
  all.max # calls: <=>
  all.sort_by { |v| spin(50) + v.n } # calls: block in sorting, spin
  all[0] > all[1] # calls: <=>
end

def blocks
  a = Base.new(10) # calls: initialize
  a.yielding(20) do |v| # calls: yielding
    a.yielding(20) { |w| spin(v & 63) } # calls: yielding, spin
    [1, 2].each { |w| recursion(w) } # calls: block (2 levels) in blocks, recursion
  end
  3.times { |v| spin(v * 30) } # calls: block in blocks, spin
  [1, 2, 3].each_slice(2).map { |v| spin(40) }.inject { |s, v| s + spin(30) } # calls: block in blocks, spin
  (1..3).reduce(0) { |s, v| s + spin(30) } # calls: block in blocks, spin
  [5, 6].map(&method(:spin)) # calls: spin
  { a: 1 }.each_pair { |k, v| spin(50) } # calls: block in blocks, spin
  50.tap { |v| spin(v) } # calls: tap, block in blocks, spin
end

def lambdas
  twice = ->(f, n) { f.call(n) + f.(n) } # calls: block in lambdas
  twice.call(->(n) { spin(n) }, 60) # calls: block in lambdas, spin
  proc { |n| spin(n) }.call(40) # calls: block in lambdas, spin
  compose = method(:spin) >> ->(n) { spin(n & 63) } # calls: spin, block in lambdas
  compose.call(30) # calls: spin, block in lambdas
end

def fails(n)
  spin(40) # calls: spin
  if n > 0
    fails(n - 1) # calls: fails
  else
    raise ArgumentError
  end
end

def exceptions
  begin
    fails(2) # calls: fails
  rescue ArgumentError # calls: rescue in exceptions
    spin(60) # calls: spin
  ensure
    spin(70) # calls: spin
  end
  catch(:done) do # calls: block in exceptions
    spin(30) # calls: spin
    throw :done
  end
end

def numbers
  return to_enum(:numbers) unless block_given?
  4.times do |i| # calls: block in numbers
    spin(40) # calls: spin
    yield i # calls: block in enumerators
  end
end

def enumerators
  numbers { |v| spin(v * 9) } # calls: numbers, spin
  e = numbers # calls: numbers
  e.next + e.next
end

def fibers
  f = Fiber.new do |n|
    spin(n) # calls: spin
    Fiber.yield recursion(3) # calls: recursion
    spin(n) # calls: spin
  end
  f.resume(60)
  f.resume
end

def threads
  t = Thread.new do
    recursion(5) # calls: recursion
  end
  t.join
end

def named(n)
  spin(n) # calls: spin
end

def evaluated
  eval("spin(50) + named(50)") # calls: evaluated
  Base.new(10).instance_eval { inner(50) } # calls: initialize, block in evaluated, inner
end

def included
  load File.join(__dir__, "included.rb") # calls: <top (required)>
  in_file(40) # calls: in_file
end

SHAPES = [:objects, :magic, :sorting, :blocks, :lambdas, :exceptions, :enumerators, :fibers,
          :threads, :evaluated, :included, :deep].freeze

def shapes
  SHAPES.each do |shape| # calls: block in shapes
    send(shape) # calls: objects, magic, sorting, blocks, lambdas, exceptions, enumerators, fibers, threads, evaluated, included, deep
  end
  recursion(20) # calls: recursion
end

ending = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + ARGV[0].to_f
while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < ending
  shapes # calls: shapes
end
