// Amounts as Kubernetes writes them (250m, 512Mi), as numbers.

const UNITS: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

const known = new Map<string, number>();

/** What cannot be read counts as nothing. */
export function quantity(text: string | undefined): number {
  if (text === undefined) return 0;
  let amount = known.get(text);
  if (amount === undefined) {
    amount = parse(text);
    // The same few amounts come again and again; strangers' objects must not fill the memory.
    if (known.size < 1000) known.set(text, amount);
  }
  return amount;
}

function parse(text: string): number {
  const match = /^([0-9.]+)([A-Za-z]*)$/.exec(text);
  if (match === null) return 0;
  return Number(match[1]) * (match[2] === '' ? 1 : (UNITS[match[2]!] ?? 0));
}
