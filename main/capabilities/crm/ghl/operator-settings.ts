import { text } from '../../../kernel/setting-kinds.ts'
import { httpsOrSandbox, httpsUrl, matching, secretText } from '../../../kernel/setting-texts.ts'
import { defineSettings } from '../../../kernel/settings.ts'

export const ghlSettings = defineSettings({
  ghlBaseUrl: {
    name: 'ghl.base_url',
    kind: text({
      words: 'https URL or `sandbox`',
      rule: 'be an https URL without a query, or sandbox',
      accept: httpsOrSandbox,
    }),
    fallback: 'https://services.leadconnectorhq.com',
    description:
      "URL of GoHighLevel's API for live instances. `sandbox` connects them with the simulator on this machine; sandbox instances always are.",
  },
  ghlMarketplaceUrl: {
    name: 'ghl.marketplace_url',
    kind: text({ words: 'https URL', rule: 'be an https URL without a query', accept: httpsUrl }),
    fallback: 'https://marketplace.gohighlevel.com',
    description:
      'Where people allow your app. Agencies with a white label use https://marketplace.leadconnectorhq.com.',
  },
  ghlClientId: {
    name: 'ghl.client_id',
    kind: text({ words: 'id', rule: 'be the client ID of your app', accept: matching(/^[A-Za-z0-9-]{10,100}$/) }),
    fallback: null,
    defaultText: 'none',
    description:
      'Client ID of your app in the HighLevel marketplace. With `ghl.client_secret`, live instances can be connected by consent.',
  },
  ghlClientSecret: {
    name: 'ghl.client_secret',
    kind: text({ words: 'text', rule: 'have at least 8 characters', accept: secretText }),
    fallback: null,
    defaultText: 'none',
    description: 'Client secret of your app in the HighLevel marketplace.',
    only: ['environment'],
    secret: true,
  },
  ghlProviderId: {
    name: 'ghl.provider_id',
    kind: text({
      words: 'id',
      rule: 'be the id of a conversation provider',
      accept: matching(/^[A-Za-z0-9_-]{5,64}$/),
    }),
    fallback: null,
    defaultText: 'none: the default SMS channel',
    description:
      'ID of the conversation provider (type SMS) of your app. Its delivery URL ends with /callbacks/ghl/outbound.',
  },
  ghlPublicKey: {
    name: 'ghl.public_key',
    kind: text({ words: 'key', rule: 'be an Ed25519 public key in PEM, base64 or hex', accept: publicKey }),
    fallback: null,
    defaultText: 'none: nothing that GoHighLevel posts is accepted',
    description:
      'Public key with which HighLevel signs webhooks (x-ghl-signature), from its Webhook Integration Guide.',
  },
})

/** Checks only the form; the key is parsed when it is used. */
function publicKey(words: string): string | undefined {
  const body = words.replaceAll(/-----[A-Z ]+-----|\s/g, '')
  return /^([0-9a-f]{64}|[a-z0-9+/]{43,60}={0,2})$/i.test(body) ? words : undefined
}
