// An answer to "who held this address then" as a sentence for people. It says what is known, what it rests on, and when nothing is known why.
import { type Answer, doubtText, type Watched } from '@podtrail/history/wire';
import { counted } from '../output/counted.ts';
import { visible } from '../output/visible.ts';
import { showSpan, showTime } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';
import { gapReason, partlyWatched } from './gap.ts';
import { holderPhrase } from './holder.ts';

const MOST_EXPLAINED = 3;

/** `watched` says since when and until when anybody could know. */
export function answerSentence(answer: Answer, watched: Watched, zone: Zone): string {
  const at = showTime(answer.at, zone);
  const words = [visible(verdict(answer, watched, at, zone))];
  if (answer.provisional) words.push('The watch has not confirmed that instant yet: the answer may still change.');
  return words.join(' ');
}

function verdict(answer: Answer, watched: Watched, at: string, zone: Zone): string {
  const { ip } = answer;
  switch (answer.answer) {
    case 'held':
      return `${ip} was held by ${holderPhrase(answer.holders[0])} at ${at}${answer.basis === 'traffic' ? ': it was in use, and nobody else can have had it' : ''}.${across(answer, zone)}`;
    case 'free':
      return `Nobody held ${ip} at ${at}: ${whyFree(answer, zone)}.${around(answer, zone)}`;
    case 'ambiguous':
      return `${candidates(answer, at)}${across(answer, zone)}${inDoubt(answer, zone)}`;
    case 'unknown':
      return `It is unknown who held ${ip} at ${at}: ${whyUnknown(answer, watched, zone)}.`;
  }
}

/** Why each pod is only a candidate; the first ones, for a sentence that a person reads. */
function inDoubt({ holders }: Answer, zone: Zone): string {
  const pods = holders.filter(({ kind, hostNetwork }) => kind === 'Pod' && !hostNetwork);
  const times = {
    time: (at: number) => showTime(at, zone),
    span: (from: number, to: number) => showSpan(from, to, zone),
  };
  const shown = pods.slice(0, MOST_EXPLAINED);
  const more = pods.length - shown.length;
  const rest = more === 0 ? '' : ` Of ${more} more the table says why; -o json in words.`;
  return shown.map(({ name, why }) => (why === undefined ? '' : ` ${name} ${doubtText(why, times)}.`)).join('') + rest;
}

function whyFree(answer: Answer, zone: Zone): string {
  if (answer.reason === 'outside') return 'it lies outside all ranges that the cluster has been seen to use';
  return `every pod of the cluster was being watched${stretch(answer, zone)}`;
}

/** Who had it before and after. */
function around({ last, next }: Answer, zone: Zone): string {
  const before =
    last?.end === undefined ? '' : ` It was last held by ${holderPhrase(last)}, until ${showTime(last.end.at, zone)}.`;
  const after =
    next === undefined ? '' : ` It was next held by ${holderPhrase(next)}, from ${showTime(next.start.at, zone)}.`;
  return before + after;
}

function candidates({ ip, holders, conflicts }: Answer, at: string): string {
  const [first] = holders;
  if (first?.kind === 'Node') {
    const pods = holders.length - 1;
    const shared =
      pods === 0
        ? 'no pod on its host network is known'
        : `the node itself or ${pods === 1 ? 'the pod' : `any of the ${pods} pods`} on its host network may be meant`;
    return `${ip} was the address of node ${first.name} at ${at}: ${shared}.`;
  }
  if (first?.hostNetwork === true && holders.every(({ hostNetwork }) => hostNetwork)) {
    const nodes = [...new Set(holders.map(({ node }) => node))].join(', ');
    const pods = holders.length === 1 ? 'the pod' : `any of the ${holders.length} pods`;
    return `${ip} was shown at ${at} on the host network of node ${nodes}, which did not list it: the node itself or ${pods} there may be meant.`;
  }
  if (conflicts.length > 0)
    return `${counted(holders.length, 'holder')} showed ${ip} at once at ${at}; it is not known whose it was.`;
  if (first !== undefined && holders.length === 1)
    return `${ip} may have been held by ${holderPhrase(first)} at ${at}, or by nobody.`;
  return `${ip} may have been held by any of ${holders.length} at ${at}, or by nobody.`;
}

function whyUnknown({ at, reason, coverage }: Answer, watched: Watched, zone: Zone): string {
  const [gap] = coverage.gaps;
  switch (reason) {
    case 'gap':
      if (gap === undefined) return 'nobody was watching then';
      return at <= gap.from
        ? `pods were starting, and the watch was lost before they had reported their addresses: gap ${showSpan(gap.from, gap.to, zone)}, ${gapReason(gap.reason)}`
        : `nobody was watching then: gap ${showSpan(gap.from, gap.to, zone)}, ${gapReason(gap.reason)}`;
    case 'before-first-record': {
      const { first } = watched;
      return first === undefined ? 'nothing has been recorded' : `nobody was watching before ${showTime(first, zone)}`;
    }
    case 'after-last-record': {
      return `the recorder was last known to watch at ${showTime(watched.last ?? 0, zone)}`;
    }
    case 'in-the-future':
      return `that time is in the future${claimedBeyond(at, watched.last, zone)}`;
    case 'expired':
      return 'records of that time have expired and were removed';
    case 'not-watched':
      return partlyWatched(coverage.scope);
    case 'damaged':
      return 'a part of the store that could have the answer is damaged or missing; `podtrail store verify` says which';
    case 'not-visible':
      return 'you may see some namespaces only, and no pod of those had it';
    case 'outside':
    case undefined:
      return 'nobody was watching then';
  }
}

/** The store says that the instant was watched, and the asker's clock has not come to it: one of two clocks is wrong. */
function claimedBeyond(at: number, last: number | undefined, zone: Zone): string {
  if (last === undefined || last < at) return '';
  const claim = `the store was watched until ${showTime(Math.floor(last / 1000) * 1000, zone)}, later than the clock of this machine`;
  return `, but ${claim}: \`podtrail doctor\` compares the clocks`;
}

/** A gap around the instant, when the answer holds in spite of it. */
function across({ coverage }: Answer, zone: Zone): string {
  const [gap] = coverage.gaps;
  if (gap === undefined) return '';
  return ` Nobody was watching from ${showSpan(gap.from, gap.to, zone)} (${gapReason(gap.reason)}); what was seen on both sides says this.`;
}

function stretch({ coverage: { from, to } }: Answer, zone: Zone): string {
  return from === undefined || to === undefined ? '' : `, from ${showSpan(from, to, zone)}`;
}
