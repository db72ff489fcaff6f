import { Secret } from '../../kernel/secret.ts'
import { text } from '../../kernel/setting-kinds.ts'
import { httpsOrSandbox, matching } from '../../kernel/setting-texts.ts'
import { defineSettings } from '../../kernel/settings.ts'

export const officialSettings = defineSettings({
  graphBaseUrl: {
    name: 'official.graph_base_url',
    kind: text({
      words: 'https URL or `sandbox`',
      rule: 'be an https URL without a query, or sandbox',
      accept: httpsOrSandbox,
    }),
    fallback: 'https://graph.facebook.com',
    description:
      "URL of Meta's Graph API for live `official` instances. `sandbox` starts a simulator on this machine for tests; no real messages are sent.",
  },
  graphVersion: {
    name: 'official.graph_version',
    kind: text({ words: 'version', rule: 'be a version such as v26.0', accept: matching(/^v\d{1,3}\.\d$/) }),
    fallback: 'v26.0',
    description:
      'Graph API version. Meta ends each version two years after the next one; Overview and the doctor say so 90 days before.',
  },
  metaAppId: {
    name: 'official.app_id',
    kind: text({ words: 'digits', rule: 'be the numeric ID of your Meta app', accept: matching(/^\d{5,30}$/) }),
    fallback: null,
    defaultText: 'none',
    description:
      "ID of your Meta app, if you are a Tech Provider. Together with `app_secret`, `config_id` and `public_base_url`, it adds Meta's own signup to the onboarding page.",
  },
  metaAppSecret: {
    name: 'official.app_secret',
    kind: text({ words: '32 characters', rule: 'be 32 characters, 0 to 9 and a to f', accept: appSecret }),
    fallback: null,
    defaultText: 'none',
    description: 'Secret of your Meta app.',
    only: ['environment'],
    secret: true,
  },
  metaConfigId: {
    name: 'official.config_id',
    kind: text({ words: 'digits', rule: 'be the numeric ID of the configuration', accept: matching(/^\d{5,30}$/) }),
    fallback: null,
    defaultText: 'none',
    description: 'ID of the “Facebook Login for Business” configuration in your Meta app.',
  },
})

function appSecret(words: string): Secret | undefined {
  return /^[0-9a-f]{32}$/i.test(words) ? new Secret(words) : undefined
}
