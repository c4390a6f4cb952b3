// One event of the API `audit.k8s.io/v1`, read from JSON that anybody may have written: every field is looked at before
// it is believed, and texts are cut to a length. What is not an event of that API is a sentence that says so.
import { type EpochMillis, epochMillis } from '../model/time.ts';

export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

/** How much of a request the policy of the log keeps; undefined: another word than these. */
export type AuditLevel = 'Metadata' | 'Request' | 'RequestResponse';

export interface AuditUser {
  readonly username: string | undefined;
  readonly groups: readonly string[];
  readonly pod: string | undefined;
  readonly node: string | undefined;
}

export interface AuditStatus {
  readonly code: number | undefined;
  readonly isFailure: boolean;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly { readonly reason: string; readonly message: string }[];
}

export interface AuditEvent {
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly level: AuditLevel | undefined;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser: AuditUser | undefined;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly objectRef: {
    readonly resource: string;
    readonly subresource: string;
    readonly apiGroup: string;
    readonly namespace: string;
    readonly name: string | undefined;
    readonly uid: string | undefined;
  };
  readonly status: AuditStatus | undefined;
  readonly requestObject: unknown;
  readonly responseObject: unknown;
  readonly receivedAt: EpochMillis;
  /** As it is written: with microseconds, which tell two requests apart. */
  readonly receivedText: string;
  readonly stageAt: EpochMillis;
  readonly annotations: Readonly<Record<string, unknown>>;
}

const STAGES = new Set<unknown>(['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic']);
const LEVELS: readonly AuditLevel[] = ['Metadata', 'Request', 'RequestResponse'];
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
/** The longest name in Kubernetes has 253 characters. */
const LONGEST_NAME = 300;
const LONGEST_TEXT = 2000;
const MOST_GROUPS = 100;
const MOST_ADDRESSES = 20;
const MOST_CAUSES = 10;

export const NOT_AN_EVENT = 'not an event of audit.k8s.io/v1';

/** The event, or what is wrong with it. */
export function readAuditEvent(value: unknown): AuditEvent | string {
  if (!isObject(value)) return 'not an object';
  if (value['apiVersion'] !== 'audit.k8s.io/v1' || value['kind'] !== 'Event') return NOT_AN_EVENT;
  const { auditID, stage, verb } = value;
  if (typeof auditID !== 'string' || auditID === '') return 'an event without auditID';
  if (!STAGES.has(stage)) return 'an event with an unknown stage';
  if (typeof verb !== 'string') return 'an event without a verb';
  const receivedText = timeText(value['requestReceivedTimestamp']);
  const received = instant(receivedText);
  if (receivedText === undefined || received === undefined) return 'an event without the time of its request';
  const ref = isObject(value['objectRef']) ? value['objectRef'] : {};
  return {
    auditID: auditID.slice(0, LONGEST_NAME),
    stage: stage as AuditStage,
    level: levelOf(value),
    requestURI: text(value['requestURI']),
    verb: verb.slice(0, LONGEST_NAME),
    user: readUser(value['user']),
    impersonatedUser: isObject(value['impersonatedUser']) ? readUser(value['impersonatedUser']) : undefined,
    sourceIPs: texts(value['sourceIPs'], MOST_ADDRESSES),
    userAgent: text(value['userAgent']),
    objectRef: {
      resource: text(ref['resource']),
      subresource: text(ref['subresource']),
      apiGroup: text(ref['apiGroup']),
      namespace: text(ref['namespace'], LONGEST_NAME),
      name: nameText(ref['name']),
      uid: nameText(ref['uid']),
    },
    status: readStatus(value['responseStatus']),
    requestObject: value['requestObject'],
    responseObject: value['responseObject'],
    receivedAt: received,
    receivedText,
    stageAt: instant(timeText(value['stageTimestamp'])) ?? received,
    annotations: isObject(value['annotations']) ? value['annotations'] : {},
  };
}

/** Of an event that was too large to be sent the bodies are cut off: as if the log did not have them. */
function levelOf({ level, annotations }: Record<string, unknown>): AuditLevel | undefined {
  const isCut = isObject(annotations) && annotations['audit.k8s.io/truncated'] === 'true';
  const known = LEVELS.find((one) => one === level);
  return isCut && known !== undefined ? 'Metadata' : known;
}

function readUser(value: unknown): AuditUser {
  const user = isObject(value) ? value : {};
  const extra = isObject(user['extra']) ? user['extra'] : {};
  return {
    username: nameText(user['username']),
    groups: texts(user['groups'], MOST_GROUPS),
    pod: texts(extra['authentication.kubernetes.io/pod-name'], 1)[0],
    node: texts(extra['authentication.kubernetes.io/node-name'], 1)[0],
  };
}

function readStatus(value: unknown): AuditStatus | undefined {
  if (!isObject(value)) return undefined;
  const { code } = value;
  const details = isObject(value['details']) ? value['details'] : {};
  const causes = Array.isArray(details['causes']) ? details['causes'].slice(0, MOST_CAUSES).filter(isObject) : [];
  return {
    code: typeof code === 'number' && Number.isInteger(code) && code >= 100 && code <= 599 ? code : undefined,
    isFailure: value['status'] === 'Failure',
    reason: text(value['reason'], LONGEST_NAME),
    message: text(value['message']),
    causes: causes.map((cause) => ({ reason: text(cause['reason'], LONGEST_NAME), message: text(cause['message']) })),
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Empty where it is none. */
export function text(value: unknown, longest: number = LONGEST_TEXT): string {
  if (typeof value !== 'string') return '';
  return value.length <= longest ? value : `${value.slice(0, longest)}…`;
}

/** Undefined where it is none, or empty. */
export function nameText(value: unknown): string | undefined {
  return text(value, LONGEST_NAME) || undefined;
}

function texts(value: unknown, most: number): string[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, most)
    .map((item) => text(item, LONGEST_NAME))
    .filter((item) => item !== '');
}

function timeText(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 40 && TIME.test(value) ? value : undefined;
}

function instant(written: string | undefined): EpochMillis | undefined {
  const at = written === undefined ? Number.NaN : Date.parse(written);
  return Number.isNaN(at) ? undefined : epochMillis(at);
}
