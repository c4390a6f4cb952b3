// The one namespace that a question is about, where it names one: whoever asks needs rights there and nowhere else. An
// address says itself where it is, whatever namespace stands beside it.
import { parseSubject } from '../subject.ts';

/** `parameters`: as they came. Undefined: of any, or they cannot be meant, which the question itself says. */
export async function onlyNamespace(parameters: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const { namespace, subject } = parameters;
  if (typeof namespace !== 'string' || namespace === '') return undefined;
  if (subject === undefined) return namespace;
  if (typeof subject !== 'string') return undefined;
  try {
    const asked = await parseSubject(subject, async () => namespace, namespace);
    return 'namespace' in asked ? asked.namespace : undefined;
  } catch {
    return undefined;
  }
}
