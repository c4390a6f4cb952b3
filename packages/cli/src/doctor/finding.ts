// What a look at one thing found. `skipped` is for what could not be looked at, because something before it is missing.

export interface Finding {
  readonly check: string;
  readonly result: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
  readonly hint?: string | undefined;
}

export function found(check: string, result: Finding['result'], detail: string, hint?: string): Finding {
  return { check, result, detail, hint };
}

/** A look that throws has failed, with what it says. */
export async function looked(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    const { message, hint } = error as { message?: string; hint?: string };
    return found(check, 'failed', message ?? String(error), hint);
  }
}
