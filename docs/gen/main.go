// Command gen writes the reference tables of docs/ from the code that they
// describe: settings, limits, events, messages of the bus, errors, commands, files that make programs run, and
// which test proves which requirement. Nothing in them is written by hand, so they cannot drift.
//
//	go run ./docs/gen           write the pages
//	go run ./docs/gen -check    fail if a page is not what the code says
//	go run ./docs/gen -man DIR  write the manual pages of all commands to DIR
//
// It fails, with either, when a requirement that is due has no test.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// page is one generated file, named from docs/.
type page struct {
	name  string
	write func(root string) ([]byte, error)
}

func pages() []page {
	return []page{
		{"cli.md", commands},
		{"configuration.md", configuration},
		{"limits.md", limits},
		{"events.md", events},
		{"bus.md", busMessages},
		{"errors.md", faults},
		{"findings.md", findings},
		{"risks.md", risks},
		{"fields.md", fields},
		{"functions.md", functions},
		{"durability.md", durability},
		{"conformance.md", conformance},
		{"../web/openapi.json", openapi},
	}
}

func main() {
	root := flag.String("root", ".", "the repository")
	check := flag.Bool("check", false, "write nothing; fail if a page has drifted")
	man := flag.String("man", "", "write the manual pages to this folder, and nothing else")
	date := flag.String("date", time.Now().UTC().Format(time.RFC3339), "the date of the manual pages")
	flag.Parse()
	if *man != "" {
		if err := manualPages(*man, *date); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	var errs []error
	for _, p := range pages() {
		path := filepath.Join(root, "docs", p.name)
		want, err := p.write(root)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.name, err))
			continue
		}
		if !check {
			errs = append(errs, os.WriteFile(path, want, 0o644))
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			errs = append(errs, err)
		} else if !bytes.Equal(got, want) {
			errs = append(errs, fmt.Errorf("docs/%s is not what the code says; run: make gen", p.name))
		}
	}
	return errors.Join(errs...)
}
