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
		published, err = (publication{x}).publish(outputs)
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
	x.records.mu.Lock()
	now := x.records.now()
	x.record.Status, x.record.EndedAt, x.record.Error, x.record.Snapshot = status, &now, failure, published
	if status == Success {
		x.record.Outputs = outputs
	}
	record := *x.record
	x.records.mu.Unlock()
	return errors.Join(
		x.records.folder.writeRun(record),
		x.records.journal.add(RunEnd, "", Ended{Status: status, Error: failure, Snapshot: published}),
	)
}

// publication publishes a run that succeeded.
type publication struct{ x *execution }

// publish makes the results a snapshot in the workflow's tool root.
func (p publication) publish(outputs map[string]any) (string, error) {
	tasks, err := p.x.records.folder.tasks()
	if err != nil {
		return "", err
	}
	p.x.records.mu.Lock()
	record := *p.x.record
	p.x.records.mu.Unlock()
	record.Outputs, record.Status = outputs, Success
	to := target(p.x.w, record.Project)
	to.By.Run = p.x.id
	if len(record.Resumed) > 0 {
		to.Published = p.isPublished
	}
	s, err := snapshot.Publish(context.WithoutCancel(p.x.ctx), to, p.x.r.o.Snapshot, func(dir *os.Root) error {
		return p.fill(dir, record, tasks, outputs)
	})
	if err != nil {
		return "", err
	}
	return to.ToolRoot + "/" + s.Name, nil
}

// isPublished recognises the run in a snapshot.
func (p publication) isPublished(dir *os.Root) bool {
	var there Record
	data, _, err := durable.ReadFile(dir, fileRun, maxRecord)
	return err == nil && decodeRecord(data, &there) == nil && there.ID == p.x.id
}

// dirWorkflow has the files of the workflow in a snapshot: they may have any names.
const dirWorkflow = "workflow"

// fill writes what is published of a run: its record and its workflow, the
// outputs, and each task's answer as a file.
func (p publication) fill(dir *os.Root, record Record, tasks []Task, outputs map[string]any) error {
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
	for _, folder := range []string{"tasks", dirWorkflow} {
		if err := durable.Mkdir(dir, folder, 0o755); err != nil {
			return storage("the results cannot be written", err)
		}
	}
	record.Tasks = tasks
	record.File, record.Folder, record.Project = p.inProject(record.File), p.inProject(record.Folder), "."
	errs := []error{write("outputs.json", outputs), write("run.json", runFile{formatVersion, record}), put(dirWorkflow+"/"+p.x.w.name, p.x.w.data)}
	for name, data := range p.x.w.Used {
		errs = append(errs, put(dirWorkflow+"/"+name, data))
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
func (p publication) inProject(path string) string {
	rel, err := filepath.Rel(p.x.record.Project, path)
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
