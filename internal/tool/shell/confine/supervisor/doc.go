// Package supervisor is the process that builds the sandbox of a command, starts it in
// there, and watches over it for as long as it runs: this program once more,
// entered before main. Package confine starts it and tells it all there is to
// decide ([Plan]); it says how the command ended ([Answer]).
//
// A supervisor must be at work before the rest of the program would be ready: the
// packages of all of belay take longer to get ready than the command takes to
// run. The order in which Go readies packages is that of their import paths,
// each after those that it imports. So this package imports only what is ready
// early, which a test sees to: no encoding/json, no path/filepath, no
// golang.org/x/sys/unix. What of the kernel's interface package syscall lacks is
// in the file kernel_linux.go, and messages are in a form of their own.
//
// It exists on Linux only.
package supervisor
