package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/snapshot"
)

// end publishes the run where it succeeded, and records how it ended.
func (x *execution) end(outputs map[string]any, err error) error {
	status := Success
	published := ""
	if err == nil && x.w.Snapshot.Root != "" {
		published, err = x.publish(outputs)
	}
	var failure *Failure
	switch {
	case err == nil:
	case errors.Is(err, errInterrupted):
		status = Interrupted
	case errors.Is(err, errCancelled):
		status = Cancelled
		failure = failureOf(fault.New(fault.RunCancelled, "the run was cancelled"))
	default:
		status, failure = Failed, failureOf(err)
		if f := fault.From(err); f.Cause != nil {
			x.r.o.Logger.Error("a run failed", "run", x.id, "error", f.Cause)
		}
	}
	x.mu.Lock()
	now := x.now()
	x.record.Status, x.record.EndedAt, x.record.Error, x.record.Snapshot = status, &now, failure, published
	if status == Success {
		x.record.Outputs = outputs
	}
	record := x.record
	x.mu.Unlock()
	return errors.Join(
		x.folder.writeRun(record),
		x.journal.add(RunEnd, "", Ended{Status: status, Error: failure, Snapshot: published}),
	)
}

// publish makes the results a snapshot in the workflow's tool root.
func (x *execution) publish(outputs map[string]any) (string, error) {
	tasks, err := x.folder.tasks()
	if err != nil {
		return "", err
	}
	x.mu.Lock()
	record := x.record
	x.mu.Unlock()
	record.Outputs, record.Status = outputs, Success
	target := x.r.target(x.w, record.Project)
	if len(record.Resumed) > 0 {
		target.Published = x.isPublished
	}
	s, err := snapshot.Publish(context.WithoutCancel(x.ctx), target, x.r.o.Snapshot, func(dir *os.Root) error {
		return x.fill(dir, record, tasks, outputs)
	})
	if err != nil {
		return "", err
	}
	return target.ToolRoot + "/" + s.Name, nil
}

// isPublished recognises the run in a snapshot.
func (x *execution) isPublished(dir *os.Root) bool {
	var there Record
	data, _, err := durable.ReadFile(dir, fileRun, maxRecord)
	return err == nil && decodeRecord(data, &there) == nil && there.ID == x.id
}

// fill writes what is published of a run: its record and its workflow, the
// outputs, and each task's answer as a file.
func (x *execution) fill(dir *os.Root, record Record, tasks []Task, outputs map[string]any) error {
	put := func(name string, data []byte) error {
		if err := durable.WriteFile(dir, name, data, 0o644, durable.Draft); err != nil {
			return storage("the results cannot be written", err)
		}
		return nil
	}
	write := func(name string, v any) error {
		data, err := encodeFile(v)
		if err != nil {
			return err
		}
		return put(name, data)
	}
	if err := durable.Mkdir(dir, "tasks", 0o755); err != nil {
		return storage("the results cannot be written", err)
	}
	record.Tasks = tasks
	record.File, record.Folder, record.Project = x.inProject(record.File), x.inProject(record.Folder), "."
	errs := []error{write("outputs.json", outputs), write("run.json", runFile{formatVersion, record}), put(x.w.name, x.w.data)}
	for name, data := range x.w.Used {
		errs = append(errs, put(name, data))
	}
	for i := range tasks {
		t := &tasks[i]
		if t.Status != Success || t.Output == nil {
			continue
		}
		name := "tasks/" + fileOf(t.Key)
		if text, ok := response(t.Output); ok {
			errs = append(errs, put(name[:len(name)-len(".json")]+".md", []byte(text+"\n")))
			continue
		}
		errs = append(errs, write(name, t.Output))
	}
	return errors.Join(errs...)
}

// inProject is a path as it is published: relative to the project, or its name alone
// where it lies elsewhere.
func (x *execution) inProject(path string) string {
	rel, err := filepath.Rel(x.record.Project, path)
	if err != nil || !filepath.IsLocal(rel) {
		return filepath.Base(path)
	}
	return filepath.ToSlash(rel)
}

// response is the answer of a task without a schema.
func response(output any) (string, bool) {
	m, ok := output.(map[string]any)
	if !ok || len(m) != 1 {
		return "", false
	}
	text, ok := m["response"].(string)
	return text, ok
}
