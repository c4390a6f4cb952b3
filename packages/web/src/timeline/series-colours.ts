// Colours of the timeline. A workload has one of eight colours and one of four patterns by its name, the same on every
// machine; so two workloads that share a colour mostly differ in pattern. Pure, but for reading the styles.

export const COLOURS = 8;
export const PATTERNS = 4;

export interface Series {
  readonly colour: number;
  readonly pattern: number;
}

/** FNV-1a: short, and the same everywhere. */
export function seriesOf(name: string): Series {
  let hash = 0x811c9dc5;
  for (let n = 0; n < name.length; n++) hash = Math.imul(hash ^ name.charCodeAt(n), 0x01000193) >>> 0;
  hash = (hash ^ (hash >>> 15)) >>> 0;
  return { colour: hash % COLOURS, pattern: Math.floor(hash / COLOURS) % PATTERNS };
}

/** `part` of `a`, the rest of `b`; both as #rrggbb. */
export function mixed(a: string, b: string, part: number): string {
  const channels = [1, 3, 5].map((at) => {
    const value =
      part * Number.parseInt(a.slice(at, at + 2), 16) + (1 - part) * Number.parseInt(b.slice(at, at + 2), 16);
    return Math.round(value).toString(16).padStart(2, '0');
  });
  return `#${channels.join('')}`;
}

export interface Palette {
  readonly background: string;
  readonly surface: string;
  readonly line: string;
  readonly text: string;
  readonly muted: string;
  readonly focus: string;
  readonly hatch: string;
  readonly held: string;
  /** Of series: the strong colour, and the soft one on which text is read. */
  readonly strong: readonly string[];
  readonly soft: readonly string[];
  /** From few to many. */
  readonly heat: readonly string[];
  /** By the names of custom properties, for causes. */
  readonly named: (property: string) => string;
  readonly softened: (colour: string) => string;
}

const HEATS = 8;

export function readPalette(element: Element, hasMoreContrast: boolean): Palette {
  const style = getComputedStyle(element);
  // Styles are slow to ask, and painters ask for each bar.
  const named = once((property) => style.getPropertyValue(property).trim());
  const background = named('--background');
  const strong = Array.from({ length: COLOURS }, (_, n) => named(`--series-${n + 1}`));
  const softened = once((colour) => mixed(colour, background, hasMoreContrast ? 0.15 : 0.3));
  const held = named('--held');
  return {
    ...{ background, surface: named('--surface'), muted: named('--muted'), text: named('--text'), held },
    ...{ line: named(hasMoreContrast ? '--control-line' : '--line'), focus: named('--focus') },
    ...{ hatch: named(hasMoreContrast ? '--muted' : '--hatch'), strong, named, softened },
    soft: strong.map(softened),
    heat: Array.from({ length: HEATS }, (_, n) => mixed(held, background, 0.25 + (0.75 * n) / (HEATS - 1))),
  };
}

function once(make: (key: string) => string): (key: string) => string {
  const made = new Map<string, string>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
