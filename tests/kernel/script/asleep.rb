# asleep.rb: threads that sleep all the time, in methods that are known.

class Bed
  def outer
    nap
  end

  def nap
    sleep 1000
  end
end

# A method that Ruby itself calls back, from C.
def called
  [2, 1].each do |n|
    sleep 1000 * n
  end
end

def queued
  Queue.new.pop
end

def locked(lock)
  lock.synchronize { puts 'never' }
end

def deep(n)
  n.zero? ? sleep(1000) : deep(n - 1)
end

def main
  lock = Mutex.new
  lock.lock
  Thread.new { Bed.new.outer }
  Thread.new { called }
  Thread.new { queued }
  Thread.new { locked(lock) }
  Thread.new { deep(600) }
  $stdout.puts 'ready'
  $stdout.flush
  sleep 1000
end

main
