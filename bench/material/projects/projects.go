// Package projects makes execution roots of any size whose files look like those of
// real projects: as long, in the forms that people and agents write them in, with
// registers that refer to each other. Benchmarks and tests of scale work on them.
//
// The same [Shape] gives the same bytes.
package projects

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// Shape says what a root is like.
type Shape struct {
	// Deliverables is how many there are; PerPackage how many share a package,
	// at most 99; by default 10, and more where there are more than 5,000.
	Deliverables, PerPackage int
	// Rows is how many rows each register has; 0 writes no registers.
	Rows int
	// Circles is about how many pairs of deliverables wait for each other.
	Circles int
	// Canonical writes every file in the form of the specification. Without it
	// they differ as real ones do.
	Canonical bool
	Seed      uint64
}

func (s Shape) orDefault() Shape {
	if s.PerPackage <= 0 {
		s.PerPackage = min(max(10, s.Deliverables/500), 99)
	}
	return s
}

// Write makes the root in dir, which must exist. It writes with several
// goroutines, about ten files for each deliverable.
func Write(dir string, s Shape) error {
	s = s.orDefault()
	if s.Deliverables > 999*s.PerPackage || s.PerPackage > 99 {
		return fmt.Errorf("%d deliverables with %d to a package have no ids", s.Deliverables, s.PerPackage)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := writeTop(root, s); err != nil {
		return err
	}
	var (
		all    sync.WaitGroup
		once   sync.Once
		failed error
		next   = make(chan int)
	)
	for range 4 {
		all.Go(func() {
			for n := range next {
				if err := writeDeliverable(root, s, n); err != nil {
					once.Do(func() { failed = err })
				}
			}
		})
	}
	for n := range s.Deliverables {
		next <- n
	}
	close(next)
	all.Wait()
	return failed
}

// deliverable is one of them, told by its number from 0.
type deliverable struct {
	id, name, label   string
	described         string
	pkg, pkgName, dir string
	pkgFolder         string
	random            *rand.Rand
}

func (s Shape) deliverable(n int) deliverable {
	r := rand.New(rand.NewPCG(s.Seed, uint64(n)+1))
	number, place := n/s.PerPackage+1, n%s.PerPackage+1
	width := "%02d"
	if s.Deliverables > 99*s.PerPackage {
		width = "%03d"
	}
	d := deliverable{random: r, id: fmt.Sprintf("DEL-"+width+"-%02d", number, place), pkg: fmt.Sprintf("PKG-"+width, number)}
	d.pkgName = pick(rand.New(rand.NewPCG(s.Seed, uint64(number)<<32)), areas)
	d.name = pick(r, subjects) + " " + pick(r, works)
	d.described = sentence[n%len(sentence)] + " " + sentence[(n+1)%len(sentence)]
	d.label = underlined(d.name)
	d.pkgFolder = d.pkg + "_" + underlined(d.pkgName)
	d.dir = d.pkgFolder + "/1_Working/" + d.id + "_" + d.label
	return d
}

func writeTop(root *os.Root, s Shape) error {
	for _, dir := range []string{"_Decomposition", "_Coordination", "_Aggregation/_Archive", "_Sources", "_Archive", "_PriceSources"} {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for number := 1; (number-1)*s.PerPackage < s.Deliverables; number++ {
		d := s.deliverable((number - 1) * s.PerPackage)
		for _, dir := range []string{"0_References/_Archive", "1_Working/_Archive", "2_Checking/From", "2_Checking/To", "3_Issued/_Archive"} {
			if err := root.MkdirAll(d.pkgFolder+"/"+dir, 0o755); err != nil {
				return err
			}
		}
	}
	for name, text := range map[string]string{
		"INIT.md": initText, "_Coordination/_COORDINATION.md": coordinationText, "_Decomposition/" + decompositionName: s.decomposition(),
	} {
		if err := root.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func writeDeliverable(root *os.Root, s Shape, n int) error {
	d := s.deliverable(n)
	if err := root.MkdirAll(d.dir, 0o755); err != nil {
		return err
	}
	files := map[string]string{
		"_STATUS.md": d.status(s), "_CONTEXT.md": d.context(), "_REFERENCES.md": d.references(), "_DEPENDENCIES.md": d.dependencies(s),
		"MEMORY.md": d.memory(), "_SEMANTIC.md": "# Semantic: " + d.id + "\n\n" + sentence[0] + "\n", "Datasheet.md": d.document("Datasheet"), "Specification.md": d.document("Specification"),
		"Guidance.md": d.document("Guidance"), "Procedure.md": d.document("Procedure"),
	}
	if s.Rows > 0 {
		files["Dependencies.csv"] = d.register(s, n)
	}
	for name, text := range files {
		if err := root.WriteFile(d.dir+"/"+name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Path is the folder of deliverable n, from 0, below dir.
func (s Shape) Path(dir string, n int) string {
	s = s.orDefault()
	return filepath.Join(dir, filepath.FromSlash(s.deliverable(n).dir))
}
