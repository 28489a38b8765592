/** Slots for exit codes. An effect stores its exit code only if some `exit_code(x)`, before or after it, reads it. */
import type { Binding } from '../../machine/machine.js';
import type { StateScope } from '../scope.js';

export class ExitCodes {
  private readonly bindings = new Map<number, { exitSlot?: number }[]>();
  private readonly slots = new Map<number, number>();

  constructor(private readonly scope: StateScope) {}

  /** A binding with an exit code that may be read later. */
  binding(slot: number): Binding {
    const binding: { slot: number; exitSlot?: number } = { slot };
    const exitSlot = this.slots.get(slot);
    if (exitSlot !== undefined) binding.exitSlot = exitSlot;
    const earlier = this.bindings.get(slot);
    if (earlier) earlier.push(binding);
    else this.bindings.set(slot, [binding]);
    return binding;
  }

  /** The slot for the exit code of a name that an effect of this state binds. */
  slotOf(name: string): number {
    const slot = this.scope.local(name);
    let exitSlot = this.slots.get(slot);
    if (exitSlot === undefined) {
      exitSlot = this.scope.hiddenSlot(`$exit:${name}`);
      this.slots.set(slot, exitSlot);
      for (const binding of this.bindings.get(slot) ?? []) binding.exitSlot = exitSlot;
    }
    return exitSlot;
  }
}
