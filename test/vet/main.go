// Command vet is go vet for a system that this machine does not run. It reads the sources
// alone: go vet would first compile every package for that system, which takes minutes.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
