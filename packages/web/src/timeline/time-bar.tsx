// The bounds of an answer as a small picture: a row for each stay, the instant asked about, and when nobody watched. SVG
// in percents, so that it fits any width without a script; the same as sentences for those who do not see it.
import { useId } from 'preact/hooks';
import { offsetOf, timeText, zone, zoneText } from '../times/zone.ts';
import { cut, markParts, markSentence, type TimeMark, type TimeRange } from './time-mark.ts';
import { tickText, timeTicks } from './time-ticks.ts';

export interface TimeBarProps {
  readonly from: number;
  readonly to: number;
  readonly marks: readonly TimeMark[];
  /** The instant asked about, within them. */
  readonly at: number;
  readonly gaps: readonly TimeRange[];
}

const ROW = 36;
const BAR = 14;
const TOP = 18;
const AXIS = 22;
const TICKS = 4;

export function TimeBar({ from, to, marks, at, gaps }: TimeBarProps) {
  const id = useId();
  const inZone = zone.value;
  const height = TOP + marks.length * ROW + AXIS;
  const bottom = height - AXIS;
  const span = { from, to };
  const part = (ms: number) => (100 * (ms - from)) / (to - from);
  /** Text near an edge does not go beyond it. */
  const anchor = (ms: number) => (part(ms) < 15 ? 'start' : part(ms) > 75 ? 'end' : 'middle');
  const percent = (ms: number) => `${part(ms).toFixed(3)}%`;
  const width = (range: TimeRange) => percent(from + range.to - range.from);
  const ticks = timeTicks(from, to, TICKS, (ms) => offsetOf(ms, inZone));
  const shownGaps = gaps.map((gap) => cut(gap, span)).filter((gap) => gap !== null);
  return (
    <figure class="time-bar">
      <svg aria-hidden="true" width="100%" height={height}>
        <defs>
          <pattern id={`${id}-gap`} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="1.5" height="6" class="time-bar-hatch" />
          </pattern>
          <pattern id={`${id}-rival`} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
            <rect width="3" height="5" class="time-bar-rival" />
          </pattern>
        </defs>
        {ticks.at.map((tick) => (
          <g key={tick}>
            <line x1={percent(tick)} x2={percent(tick)} y1={TOP} y2={bottom + 4} class="time-bar-grid" />
            <text x={percent(tick)} y={height - 5} class="time-bar-tick" text-anchor={anchor(tick)}>
              {tickText(tick, ticks.step, inZone)}
            </text>
          </g>
        ))}
        <line x1="0" x2="100%" y1={bottom} y2={bottom} class="time-bar-axis" />
        {shownGaps.map((gap) => (
          <rect
            key={gap.from}
            x={percent(gap.from)}
            width={width(gap)}
            y={TOP}
            height={bottom - TOP}
            fill={`url(#${id}-gap)`}
          />
        ))}
        {marks.map((mark, row) => {
          const { certain, maybe } = markParts(mark, span);
          const y = TOP + row * ROW + 16;
          return (
            <g key={row} class={`time-bar-${mark.kind}-mark`}>
              {maybe.map((part) => (
                <rect
                  key={part.from}
                  x={percent(part.from)}
                  width={width(part)}
                  y={y + 0.5}
                  height={BAR - 1}
                  class="time-bar-maybe"
                />
              ))}
              {certain !== null && (
                <rect
                  x={percent(certain.from)}
                  width={width(certain)}
                  y={y}
                  height={BAR}
                  class="time-bar-certain"
                  {...(mark.kind === 'rival' ? { fill: `url(#${id}-rival)` } : {})}
                />
              )}
            </g>
          );
        })}
        <line x1={percent(at)} x2={percent(at)} y1={TOP - 4} y2={bottom} class="time-bar-at" />
        <text x={percent(at)} y={11} class="time-bar-at-text" text-anchor={anchor(at)}>
          ▼ asked
        </text>
        {/* Above the line. */}
        {marks.map((mark, row) => {
          const first = part(Math.max(from, mark.startNotBefore));
          return (
            // Moved to the left as far as a long name needs.
            <text
              key={row}
              x={`${first}%`}
              y={TOP + row * ROW + 12}
              class="time-bar-label"
              style={`transform:translate(clamp(${-first}cqw,${100 - first}cqw - 100%,0px))`}
            >
              {mark.label}
            </text>
          );
        })}
        <text x="0" y={11} class="time-bar-tick">
          {timeText(from).slice(0, 10)}
        </text>
      </svg>
      <figcaption class="visually-hidden">
        From {timeText(from)} to {timeText(to)} {zoneText(from)}.
        <ul>
          {marks.map((mark, row) => (
            <li key={row}>{markSentence(mark)}</li>
          ))}
          <li>Asked about {timeText(at)}</li>
          {shownGaps.map((gap) => (
            <li key={gap.from}>
              Nobody watched from {timeText(gap.from)} to {timeText(gap.to)}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}
