// What the operator and its conversion process say to each other. Apart from the process, which acts when it is loaded.
import type { ServingCertificate } from '../certificates/certificate.ts';

export type ToProcess =
  | { readonly kind: 'serve'; readonly host: string; readonly port: number; readonly certificate: ServingCertificate }
  | { readonly kind: 'use'; readonly certificate: ServingCertificate };

export type FromProcess =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'alive' };

/** How often the process gives a sign of life. */
export const ALIVE_MS = 1_000;
/** The exit code of a process that has outgrown its limit. */
export const TOO_LARGE = 71;
