package register

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

// generated is a register of n rows shaped like the real ones: about 450 bytes a
// row, one row in three with quoted cells.
func generated(host, rows int) []byte {
	var b strings.Builder
	b.WriteString(canonicalHeader + "\n")
	pkg, del := host/100%1000, host%100
	for i := range rows {
		class, anchor, kind, target, id, ref := classExecution, notApplicable, "PREREQUISITE", targetDeliverable, fmt.Sprintf("DEL-%02d-%02d", pkg, (del+1)%100), ""
		if i == 0 {
			class, anchor, kind, target, id, ref = classAnchor, implementsNode, typeOther, "WBS_NODE", "", "SOW-001"
		}
		statement := "The deliverable needs the output of its neighbour before the work on the section can begin"
		if i%3 == 0 {
			statement = `"The deliverable needs ""output"" of its neighbour, before the work on the section can begin"`
		}
		fmt.Fprintf(&b, "v3.1,DEP-%02d-%02d-%03d,PKG-%02d,DEL-%02d-%02d,Integrated Design Management,%s,%s,UPSTREAM,%s,%s,,%s,%s,Baseline Schedule and Reporting,,%s,"+
			"Specification.md,Specification.md section 3.2 (Coordination),the schedule governs the sequence of the work,EXPLICIT,TBD,TBD,TBD,HIGH,EXTRACTED,2026-02-17,2026-02-21,ACTIVE,FACT: found in the section on coordination\n",
			pkg, del, i+1, pkg, pkg, del, class, anchor, kind, target, id, ref, statement)
	}
	return []byte(b.String())
}

// BenchmarkRegisters is the work on 10,000 registers of 20 rows: parsed and
// linted, only parsed, and, for comparison, only looked through, and read by
// encoding/csv.
func BenchmarkRegisters(b *testing.B) {
	const files = 10_000
	all := make([][]byte, files)
	size := 0
	for i := range all {
		all[i] = generated(100+i, 20)
		size += len(all[i])
	}
	each := func(name string, work func(data []byte, host string) error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				var g errgroup.Group
				workers := runtime.GOMAXPROCS(0)
				for w := range workers {
					g.Go(func() error {
						for i := w; i < files; i += workers {
							if err := work(all[i], fmt.Sprintf("DEL-%02d-%02d", (100+i)/100%1000, (100+i)%100)); err != nil {
								return err
							}
						}
						return nil
					})
				}
				if err := g.Wait(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	each("count", func(data []byte, _ string) error {
		if bytes.Count(data, []byte(",")) == 0 {
			return io.ErrUnexpectedEOF
		}
		return nil
	})
	each("encoding-csv", func(data []byte, _ string) error {
		r := csv.NewReader(bytes.NewReader(data))
		r.ReuseRecord = true
		for {
			if _, err := r.Read(); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	})
	each("parse", func(data []byte, _ string) error {
		if Parse(data).Len() != 20 {
			return io.ErrUnexpectedEOF
		}
		return nil
	})
	each("parse-lint", func(data []byte, host string) error {
		if found := Parse(data).Lint("Dependencies.csv", host); len(found) > 0 {
			return fmt.Errorf("%+v", found[0])
		}
		return nil
	})
}
