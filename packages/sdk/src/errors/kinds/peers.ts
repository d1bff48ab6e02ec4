/** Errors that the other side causes: a decision of the user, or a version without the feature. */
import { always, entry, INTERNAL, INVALID_PARAMS, STATELESS, until } from './entry.ts'

export const peerErrors = {
  // The user and the model
  url_elicitation_required: entry(
    until(-32042, STATELESS, -32603),
    400,
    'URL elicitation required',
    'retry',
    'The user must visit a URL before the request can be served.',
  ),
  user_rejected: entry(
    always(-1),
    403,
    'User rejected sampling request',
    'abort',
    'The user refused a sampling request.',
  ),

  // Translation between versions
  translation_failed: entry(
    INTERNAL,
    502,
    'Translation failed',
    'abort',
    'A message has no form in the version of the other side.',
  ),
  missing_required_field: entry(
    INTERNAL,
    502,
    'Missing required field',
    'abort',
    'A field the other version requires is missing and cannot be made up.',
  ),
  version_gap: entry(
    INVALID_PARAMS,
    400,
    'Not supported by the protocol version of the other side',
    'abort',
    'A request uses something the version of its receiver does not have.',
  ),
}
