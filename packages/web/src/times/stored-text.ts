// What a reader chose, kept in the browser. Where storage is forbidden the choice lasts as long as the page.

export function storedText(key: string): string | undefined {
  try {
    return globalThis.localStorage?.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function storeText(key: string, text: string | undefined): void {
  try {
    if (text === undefined) globalThis.localStorage?.removeItem(key);
    else globalThis.localStorage?.setItem(key, text);
  } catch {
    // Nothing is lost but the choice.
  }
}
