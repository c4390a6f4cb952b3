// What admission did to a request that it let pass, from the annotations that webhooks and policies leave in the log.
import { isObject, text } from './audit-event.ts';
import type { AdmissionNotes } from './audited-action.ts';

const MUTATED = 'mutation.webhook.admission.k8s.io/';
const FAILED_OPEN = /^failed-open\.(?:validating|mutation)\.webhook\.admission\.k8s\.io\//;
const VIOLATED = 'validation.policy.admission.k8s.io/validation_failure';
/** Of each; a log that has more was made to be long. */
const MOST = 20;

/** Undefined: nothing that is worth a word. */
export function admissionNotes(annotations: Readonly<Record<string, unknown>>): AdmissionNotes | undefined {
  const mutatedBy: string[] = [];
  const failedOpen: string[] = [];
  let violated: AdmissionNotes['violated'] = [];
  for (const [key, value] of Object.entries(annotations)) {
    if (typeof value !== 'string') continue;
    if (key.startsWith(MUTATED)) {
      const note = parsed(value);
      if (isObject(note) && note['mutated'] === true && mutatedBy.length < MOST)
        mutatedBy.push(text(note['webhook'], 300));
    } else if (FAILED_OPEN.test(key)) {
      if (failedOpen.length < MOST) failedOpen.push(text(value, 300));
    } else if (key === VIOLATED) violated = violations(parsed(value));
  }
  if (mutatedBy.length + failedOpen.length + violated.length === 0) return undefined;
  return { mutatedBy, failedOpen, violated };
}

function violations(value: unknown): AdmissionNotes['violated'] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, MOST)
    .filter(isObject)
    .map((failure) => ({
      policy: text(failure['policy'], 300),
      binding: text(failure['binding'], 300),
      message: text(failure['message']),
    }));
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
