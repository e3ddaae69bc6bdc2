# zone_fiber ROUNDS: Ruby's fibers: generators that give values from a recursion, exceptions raised
# in them and through them, and many that are left unfinished. Status 36.
def walk(depth, place, &give)
  walk(depth - 1, 2 * place, &give) if depth > 0
  give.call(place * 7919 % 1009)
  walk(depth - 1, 2 * place + 1, &give) if depth > 0
end

def one_round
  fibers = (1..6).map { |n| Fiber.new { walk(5, n) { |v| Fiber.yield v }; nil } }
  sum = 0
  until fibers.empty?
    fibers.reject! { |f| (v = f.resume).nil? || !(sum = (sum * 31 + v) % 1_000_003) }
  end
  20.times do |i|
    f = Fiber.new { Fiber.yield i; raise ArgumentError, "x#{i}" }
    begin
      sum += f.resume
      f.resume if i.even?
    rescue ArgumentError => e
      sum += e.message.size
    end
  end
  squares = Enumerator.new { |y| (1..).each { |n| y << n * n } }
  30.times { sum += squares.next }
  sum
end

wanted = (ARGV[0] || 3).to_i
gate = ENV["ZONE_GATE"]
done = 0
first = nil
while gate ? File.read(gate, 1) == "0" : done < wanted
  result = one_round
  first ||= result
  abort "round #{done + 1} differs" if result != first
  done += 1
end
puts "ok #{first}"
exit 36
