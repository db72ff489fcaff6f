import type { OnboardingLocale } from './shape.ts'

const ENTER = 'in your Meta app under WhatsApp → Configuration → Webhook, and subscribe to the field “messages”.'

export const en: OnboardingLocale = {
  language: 'en',
  connect: 'Connect a number',
  submit: 'Connect',
  connected: 'Connected',
  isConnected: (name) => `“${name}” is connected`,
  sandbox: {
    tag: 'Sandbox',
    heading: (name) => `Connect a number to “${name}”`,
    lead: 'On the live network this page asks for the credentials of Meta’s Cloud API. In the sandbox, choose any number.',
    number: 'Phone number with country code',
    wrongNumber: 'Enter the number with its country code: 7 to 15 digits.',
    done: (number) => `The number ${number} can now send and receive messages. You can close this page.`,
  },
  live: {
    heading: (name) => `Connect a WhatsApp number to “${name}”`,
    lead: 'This number uses Meta’s Cloud API. What you enter is stored encrypted on this service and sent only to Meta.',
    withMeta: 'Continue with Meta',
    orPaste: 'Sign in with Meta and choose the number, or paste its credentials:',
    fields: {
      access_token: {
        label: 'Access token',
        hint: 'Business settings → Users → System users → Generate token, with whatsapp_business_messaging and whatsapp_business_management, and no expiration.',
      },
      app_secret: {
        label: 'App secret',
        hint: 'Your app at developers.facebook.com → App settings → Basic. We use it to verify that callbacks come from Meta.',
      },
      phone_number_id: {
        label: 'Phone number ID',
        hint: 'WhatsApp → API setup, under the number. Not the phone number itself.',
      },
      waba_id: {
        label: 'WhatsApp Business account ID',
        hint: 'On the same page, next to the phone number ID.',
      },
      pin: {
        label: 'PIN (only for a number that is new to the Cloud API)',
        hint: 'Six digits for two-step verification: the number’s current PIN, or a new one. Write it down.',
      },
    },
    canSend: (number) => `The number +${number} can now send messages.`,
    callsBack: 'Meta now sends incoming messages to this service.',
    pinNote: 'The number was new to the Cloud API and now has a PIN. Write it down; it is not shown again.',
    pin: 'PIN',
    close: 'You can close this page.',
    failed: 'Not connected',
    notYet: (name) => `“${name}” is not connected yet`,
    again: 'Open the setup page again and start over, or paste the credentials there.',
    usedMeanwhile: 'Someone else connected a number here in the meantime.',
  },
  callback: {
    title: 'Callback URL',
    before: `When you connect, we register this URL with Meta. If that fails, enter it yourself ${ENTER}`,
    after: `Meta did not accept our URL, so you won’t receive messages yet. Enter it yourself ${ENTER} The verify token is not shown again.`,
    url: 'Callback URL',
    token: 'Verify token',
    ok: 'We tested this URL, and it reaches this service.',
    noAddress:
      'This service has no public URL, so Meta cannot reach it. You can send messages, but you won’t receive replies, and statuses stay at “queued”. Set public_base_url to an https URL that reaches this service.',
    faults: {
      not_https: ({ detail }) =>
        `Meta requires https, but public_base_url begins with ${detail}//. Put a TLS proxy or a tunnel in front of this service.`,
      not_public: ({ host, detail }) =>
        `${host} does not resolve to a public address, so Meta cannot reach it (${detail}). Check public_base_url, and that the proxy or tunnel behind it is running.`,
      no_name: ({ host, detail }) =>
        `${host} does not resolve (${detail}). Check public_base_url, and that the proxy or tunnel behind it is running.`,
      certificate: ({ host, detail }) =>
        `Meta would not trust the certificate of ${host} (${detail}). Check public_base_url, and that the proxy or tunnel behind it is running.`,
      silent: ({ host, detail }) =>
        `${host} does not respond in time (${detail}). Check public_base_url, and that the proxy or tunnel behind it is running.`,
      unreachable: ({ host, detail }) =>
        `${host} cannot be reached from outside (${detail}). Check public_base_url, and that the proxy or tunnel behind it is running.`,
      other: ({ host, detail }) =>
        `A different server responds at ${host} (status ${detail}). Configure the proxy or tunnel to forward /callbacks/ to this service with the original Host header.`,
    },
  },
  reasons: {
    phone_number_id_form: () => 'The phone number ID is a long number without spaces, not the phone number itself.',
    waba_id_form: () => 'The WhatsApp Business account ID is a long number without spaces.',
    access_token_form: () => 'Paste the complete access token. It begins with EAA and has no spaces.',
    app_secret_form: () => 'The app secret must have 32 characters: digits and the letters a to f.',
    pin_form: () => 'The PIN must have six digits.',
    other_account: () =>
      'This number does not belong to this WhatsApp Business account. Copy both IDs from the same page at Meta.',
    pin_needed: () =>
      'This number is not registered with the Cloud API yet. Enter a six-digit PIN: its current one, or a new one. Write it down.',
    other_app_secret: () =>
      'This app secret does not match the app of the access token. Copy it from App settings → Basic.',
    token_dead: () =>
      'Meta rejected this access token. Generate a new one for a system user, without an expiration, and paste it completely.',
    permission: () =>
      'This access token lacks permissions. It needs whatsapp_business_messaging and whatsapp_business_management, and the WhatsApp account must be assigned to the system user.',
    unknown_id: (detail) => `Meta does not know this ID, or the access token has no access to it (${detail}).`,
    blocked: () => 'Meta has locked this account. See Business Support Home at Meta.',
    no_number: () =>
      'All numbers that Meta shared are already connected. Start over, and choose or add another number.',
    unreachable: (detail) => `Cannot reach Meta right now (${detail}). Try again in a minute.`,
    refused: (detail) => `Meta refused this (${detail}).`,
  },
  gone: {
    title: 'This page is no longer available',
    text: 'This link was already used or is incomplete. Ask the person who sent it for a new one.',
  },
  suspended: {
    title: 'No number was connected',
    text: 'This account is on hold at the moment. Ask the person who sent you the link, and try again once it is active.',
  },
}
