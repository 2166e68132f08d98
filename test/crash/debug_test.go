//go:build crashtest

package crash

import (
	"os"
	"os/exec"
	"fmt"
)

func (w *world) dump(steps []step) {
	for i, s := range steps {
		if s.op != nil {
			fmt.Println(i+1, s.op.Verb, w.relative(s.op.Path), w.relative(s.op.To), len(s.op.Data), s.op.Point)
		} else if s.seen != nil {
			fmt.Println(i+1, "SEEN", s.seen.Seq, s.seen.Type)
		} else {
			fmt.Println(i+1, "ACK", s.ack)
		}
	}
	out, _ := exec.Command("sh", "-c", "cd "+w.dir+"; find . -type f | xargs ls -la; head -c 3000 project/.belay/sessions/*/transcript.jsonl").CombinedOutput()
	os.Stdout.Write(out)
}
