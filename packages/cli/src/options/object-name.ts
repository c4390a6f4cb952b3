// Names of objects in Kubernetes that a flag gives: what no server would ever take is a typing error, and said so before
// anything is tried with it.
import { UsageError } from '../errors.ts';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const ALLOWED = 'use lower case letters, digits and -';

export function namespaceName(flag: string): (text: string) => string {
  return (text) => {
    if (LABEL.test(text)) return text;
    throw new UsageError(`${flag} ${text} is not a namespace`, `${ALLOWED}, 63 characters at most.`);
  };
}

export function objectName(flag: string): (text: string) => string {
  return (text) => {
    if (text.length <= 253 && SUBDOMAIN.test(text)) return text;
    throw new UsageError(`${flag} ${text} is not the name of an object`, `${ALLOWED} or ., 253 characters at most.`);
  };
}
