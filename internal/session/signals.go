package session

// Signals are what processes tell each other about turns, by files in the state folder:
// which turn runs where, what a person says into it, and that it is to stop.
type Signals struct{ store *Store }
