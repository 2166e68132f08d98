/** What there is until a view is. It is seen only where that takes a while: a view that is fast does not flicker. */
export const waits = <div className="scroll" aria-busy="true"><p className="soft reading"><span className="spin" /> Reading</p></div>;
