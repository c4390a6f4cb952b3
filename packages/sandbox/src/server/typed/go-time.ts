// Reads a time as Go's time.Parse does with the layouts that Kubernetes has, to say in its words where a text is wrong.

const SECONDS = '2006-01-02T15:04:05Z07:00';
const MICROS = '2006-01-02T15:04:05.000000Z07:00';

interface Step {
  readonly layout: string;
  readonly digits: RegExp;
  /** A number with a largest value, and how it is called. */
  readonly range?: readonly [name: string, least: number, most: number];
}

const plain = (layout: string): Step => ({ layout, digits: new RegExp(`^${layout}`) });
const number = (layout: string, name: string, least: number, most: number): Step => ({
  layout,
  digits: /^\d\d/,
  range: [name, least, most],
});

const DATE: readonly Step[] = [
  { layout: '2006', digits: /^\d{4}/ },
  plain('-'),
  number('01', 'month', 1, 12),
  plain('-'),
  number('02', 'day', 1, 31),
  plain('T'),
  number('15', 'hour', 0, 23),
  plain(':'),
  number('04', 'minute', 0, 59),
  plain(':'),
  number('05', 'second', 0, 59),
];
const ZONE: Step = { layout: 'Z07:00', digits: /^(?:Z|[+-]\d\d:\d\d)/ };
const ANY_FRACTION: Step = { layout: '', digits: /^(?:[.,]\d+)?/ };
const SIX_DIGITS: Step = { layout: '.000000', digits: /^[.,]\d{6}(?!\d)/ };

/** Undefined when it is a time. */
export function timeProblem(text: string, micros: boolean): string | undefined {
  const layout = micros ? MICROS : SECONDS;
  let rest = text;
  let outOfRange: string | undefined;
  for (const step of [...DATE, micros ? SIX_DIGITS : ANY_FRACTION, ZONE]) {
    const found = step.digits.exec(rest)?.[0];
    if (found === undefined)
      return `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(step.layout)}`;
    const [name, least, most] = step.range ?? ['', 0, Number.POSITIVE_INFINITY];
    if (step.range !== undefined && (Number(found) < least || Number(found) > most)) {
      if (name !== 'day') return `parsing time ${quote(text)}: ${name} out of range`;
      // Looked at last, because the month decides.
      outOfRange = name;
    }
    rest = rest.slice(found.length);
  }
  if (rest !== '') return `parsing time ${quote(text)}: extra text: ${quote(rest)}`;
  return outOfRange === undefined && isDayOfMonth(text) ? undefined : `parsing time ${quote(text)}: day out of range`;
}

function isDayOfMonth(text: string): boolean {
  const [year = 0, month = 1, day = 1] = text.slice(0, 10).split('-').map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function quote(text: string): string {
  return JSON.stringify(text);
}
