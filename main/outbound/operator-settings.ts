import { Secret } from '../kernel/secret.ts'
import { integer, listOf, oneOf, text } from '../kernel/setting-kinds.ts'
import { hostName, matching, range } from '../kernel/setting-texts.ts'
import { defineSettings } from '../kernel/settings.ts'

export const outboundSettings = defineSettings({
  trustedRanges: {
    name: 'egress.trusted_ranges',
    kind: listOf(
      text({ words: 'range', rule: 'be a list of CIDR ranges such as 192.168.7.0/24, none of them /0', accept: range }),
      'list of CIDR ranges',
    ),
    fallback: Object.freeze([]),
    defaultText: 'none',
    description:
      'Private addresses that Switchboard may connect to for every account, such as `127.0.0.1/32` for a receiver on this machine: for webhooks, `media_url`, HTTP tools, CRM addresses, link previews and proxies. Name single addresses, not your whole network: your clients can use them too.',
    only: ['file'],
  },
  smtpHost: {
    name: 'smtp.host',
    kind: text({ words: 'host name', rule: 'be a host name without a port', accept: hostName }),
    fallback: null,
    defaultText: 'none: mails are kept in the mail sandbox and reach nobody',
    description: 'Mail server for summaries of calls.',
    window: 'restart',
    leads: 'smtp.password',
  },
  smtpPort: {
    name: 'smtp.port',
    kind: integer({ min: 1, max: 65_535 }),
    fallback: 587,
    description: 'Port of the mail server.',
    window: 'restart',
    leads: 'smtp.password',
  },
  smtpSecurity: {
    name: 'smtp.security',
    kind: oneOf('starttls', 'tls', 'none'),
    fallback: 'starttls',
    description: 'How the connection to the mail server is encrypted. Use `none` for a server on this machine only.',
    window: 'restart',
    leads: 'smtp.password',
  },
  smtpUser: {
    name: 'smtp.user',
    kind: text({ words: 'text', rule: 'be a user name', accept: (user) => user || undefined }),
    fallback: null,
    defaultText: 'none: without signing in',
    description: 'User name at the mail server.',
    window: 'restart',
  },
  smtpPassword: {
    name: 'smtp.password',
    kind: text({
      words: 'text',
      rule: 'not be empty',
      accept: (password) => (password ? new Secret(password) : undefined),
    }),
    fallback: null,
    defaultText: 'none',
    description: 'Password at the mail server.',
    only: ['environment'],
    secret: true,
  },
  smtpFrom: {
    name: 'smtp.from',
    kind: text({ words: 'address', rule: 'be a mail address', accept: matching(/^[^\s@<>]+@[^\s@<>]+$/) }),
    fallback: 'switchboard@localhost',
    description: 'Sender of mails.',
    window: 'restart',
  },
})
