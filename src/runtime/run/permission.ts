/** Lets an effect be prepared while its request becomes durable, and keeps it from executing anything until then. */
export class Permission {
  private resolve: (mayBegin: boolean) => void = () => undefined;
  /** See `RunContext`. */
  readonly answer: Promise<boolean>;

  constructor(readonly effect: string) {
    this.answer = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  grant(): void {
    this.resolve(true);
  }

  /** Does nothing after `grant`. */
  refuse(): void {
    this.resolve(false);
  }
}
