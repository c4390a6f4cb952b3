// SelfSubjectAccessReview: may I? Answered by the same rules that decide requests.
import type { IncomingMessage } from 'node:http';
import { isObject, objectAt, textAt } from '../../api/json-object.ts';
import type { AccessControl } from '../access-control.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { readObject } from './request-body.ts';

export const REVIEW_PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

export function handleAccessReview(
  access: AccessControl,
  user: string,
  message: IncomingMessage,
  body: Buffer,
  pretty: boolean,
): Answer {
  const review = readObject(message, body, 'SelfSubjectAccessReview');
  const asked = objectAt(review, 'spec', 'resourceAttributes');
  const allowed =
    asked === undefined ||
    access.allows(user, {
      verb: textAt(asked, 'verb'),
      group: textAt(asked, 'group'),
      plural: textAt(asked, 'resource'),
      subresource: textAt(asked, 'subresource'),
      namespace: textAt(asked, 'namespace'),
      name: textAt(asked, 'name'),
    });
  return jsonAnswer(
    {
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: isObject(review) ? review['spec'] : {},
      status: { allowed },
    },
    201,
    pretty,
  );
}
