import { Type, type Static } from 'typebox'
import { Interactive, type Interactive as InteractiveMessage } from './interactive.ts'
import { LIMITS } from './limits.ts'
import { MediaType } from './shapes.ts'

/** A reply button. */
const Button = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 256 }),
    text: Type.String({ minLength: 1, maxLength: 20 }),
  },
  { additionalProperties: false },
)

/** The message of a campaign, before its variables are filled in. */
export const CampaignMessage = Type.Object(
  {
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.textLength,
        description:
          '`{{name}}`, `{{phone}}` and the other variables of the recipient are replaced; `{{name|friend}}` has a fallback. ' +
          '`{Hi|Hello}` picks one of its options for each recipient. ' +
          `At most ${LIMITS.campaignPlaces} variables and options.`,
      }),
    ),
    media_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.mediaUrlLength,
        description: 'The file, as in `POST /v1/instances/{id}/messages`. It may contain variables.',
      }),
    ),
    media_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'A file of `POST /v1/media`, in place of `media_url`.',
      }),
    ),
    media_type: Type.Optional(MediaType),
    caption: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.captionLength,
        description: 'Text below the file, with variables and options as in `text`.',
      }),
    ),
    filename: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.filenameLength })),
    buttons: Type.Optional(
      Type.Array(Button, {
        minItems: 1,
        maxItems: 10,
        description:
          'smv2 shows no buttons, so they become a numbered list below the text. Official numbers show up to three.',
      }),
    ),
    interactive: Type.Optional(
      Type.Unsafe<InteractiveMessage>({
        ...Interactive,
        description:
          'Official numbers only: a menu, a link, a form or products, as in `POST /v1/instances/{id}/messages`. ' +
          'Variables and options in its texts are replaced. People who did not write in the last 24 hours do not get it.',
      }),
    ),
    cloud_api: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Official numbers only: a Cloud API payload, such as an approved template. Variables in its texts are replaced. ' +
            `At most ${LIMITS.campaignPayloadTexts} texts and ${LIMITS.textLength} characters.`,
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'Exactly one of `text`, `media_url` or `media_id` with `media_type`, `interactive`, or `cloud_api`.',
  },
)
export type CampaignMessage = Static<typeof CampaignMessage>
