package discordtest

// Connected reports whether a bot is connected.
func (g *Gateway) Connected() bool {
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	return g.current != nil && g.current.conn != nil
}

// Sessions is how many sessions were begun; a resume begins none.
func (g *Gateway) Sessions() int {
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	return g.count
}

// Shut refuses new connections, or lets them in again.
func (g *Gateway) Shut(on bool) {
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	g.shut = on
}

// Drop cuts the connection without a word.
func (g *Gateway) Drop() { g.withConn(func(c *conn) { _ = c.ws.Close() }) }

// CloseWith closes the connection with a code.
func (g *Gateway) CloseWith(code int) { g.withConn(func(c *conn) { c.closeWith(code, "scripted") }) }

// Reconnect asks the bot to connect again: opcode 7.
func (g *Gateway) Reconnect() { g.withConn(func(c *conn) { c.send(packet{Op: opReconnect}) }) }

// Forget makes all sessions unknown, so that a resume fails.
func (g *Gateway) Forget() {
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	clear(g.sessions)
}

// Twice sends each event twice from now on.
func (g *Gateway) Twice(on bool) {
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	g.twice = on
}

func (g *Gateway) withConn(f func(*conn)) {
	g.server.mu.Lock()
	var c *conn
	if g.current != nil {
		c = g.current.conn
	}
	g.server.mu.Unlock()
	if c != nil {
		f(c)
	}
}

func (g *Gateway) close() { g.Drop() }
