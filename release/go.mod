module belay/release

go 1.26
