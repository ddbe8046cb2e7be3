import { Component, type ComponentChildren } from "preact";
import { t } from "../catalogue/words.ts";
import { reload } from "../session/reload.ts";
import { Button } from "./button.tsx";
import { ProblemView } from "./problem-view.tsx";

/** Shows an error in its place when drawing its content fails; the rest of the page stays. */
export class ErrorBoundary extends Component<{ readonly children: ComponentChildren }, { error?: unknown }> {
  override componentDidCatch(error: unknown): void {
    this.setState({ error });
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <>
        <ProblemView error={this.state.error} />
        <Button onClick={() => void reload()}>{t.frame.reload}</Button>
      </>
    );
  }
}
