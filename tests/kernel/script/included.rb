def in_file(n)
  spin(n) # calls: spin
end
spin(50) # calls: spin
