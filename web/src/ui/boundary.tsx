// Keeps a failure of one part from taking the whole page away.
import { Component, type ReactNode } from "react";

export class Boundary extends Component<{ children: ReactNode; fallback: (error: unknown) => ReactNode }, { failed: boolean; error: unknown }> {
  override state = { failed: false, error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) { return { failed: true, error }; }

  override render(): ReactNode { return this.state.failed ? this.props.fallback(this.state.error) : this.props.children; }
}
