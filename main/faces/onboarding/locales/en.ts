import type { OnboardingLocale } from './shape.ts'

const ENTER = 'in the app at Meta: WhatsApp → Configuration → Webhook, and subscribe to the field “messages”.'

export const en: OnboardingLocale = {
  language: 'en',
  connect: 'Connect a number',
  submit: 'Connect',
  connected: 'Connected',
  isConnected: (name) => `“${name}” is connected`,
  sandbox: {
    tag: 'Sandbox',
    heading: (name) => `Connect a number to “${name}”`,
    lead: 'On the live network this page asks for the credentials of Meta’s Cloud API. Here it is simulated: choose any number.',
    number: 'Phone number with country code',
    wrongNumber: 'Enter the number with its country code: 7 to 15 digits.',
    done: (number) => `The number ${number} can send and receive now. You can close this page.`,
  },
  live: {
    heading: (name) => `Connect a WhatsApp number to “${name}”`,
    lead: 'This number uses Meta’s Cloud API. What you enter is stored encrypted on this service and sent only to Meta.',
    withMeta: 'Continue with Meta',
    orPaste: 'Meta asks you to sign in and to choose the number. Or paste its credentials:',
    fields: {
      access_token: {
        label: 'Access token',
        hint: 'Business settings → Users → System users → Generate token, with whatsapp_business_messaging and whatsapp_business_management, and no end.',
      },
      app_secret: {
        label: 'App secret',
        hint: 'The app at developers.facebook.com → App settings → Basic. With it we know that a call is really from Meta.',
      },
      phone_number_id: {
        label: 'Phone number ID',
        hint: 'WhatsApp → API setup, under the number. Not the phone number itself.',
      },
      waba_id: {
        label: 'WhatsApp Business account ID',
        hint: 'On the same page, beside the phone number ID.',
      },
      pin: {
        label: 'PIN (only for a number that is new to the Cloud API)',
        hint: 'Six digits of two-step verification: those the number has, or new ones. Write them down.',
      },
    },
    canSend: (number) => `The number +${number} can now send messages.`,
    callsBack: 'Meta now sends incoming messages to this service.',
    pinNote: 'The number was new to the Cloud API and has a PIN from now on. Write it down; it is not shown again.',
    pin: 'PIN',
    close: 'You can close this page.',
    failed: 'Not connected',
    notYet: (name) => `“${name}” is not connected yet`,
    again: 'Open the setup page again and start over, or paste the credentials there.',
    usedMeanwhile: 'Someone else connected a number here in the meantime.',
  },
  callback: {
    title: 'Where Meta calls',
    before: `When you connect, we tell Meta this address. If Meta does not take it, enter it yourself ${ENTER}`,
    after: `Meta did not take our address, so nothing that people write arrives yet. Enter it yourself ${ENTER} The verify token is not shown again.`,
    url: 'Callback URL',
    token: 'Verify token',
    ok: 'We called this address from outside, and it leads here.',
    noAddress:
      'This service has no public address, so Meta cannot call it: you can send messages, but replies do not arrive and statuses stay at “queued”. Set public_base_url to an https address that reaches this service.',
    faults: {
      not_https: ({ detail }) =>
        `Meta only calls https addresses, and public_base_url begins with ${detail}//. Put a TLS proxy or a tunnel in front of this service.`,
      not_public: ({ host, detail }) =>
        `${host} does not lead to a public address, so Meta cannot reach it (${detail}). Check public_base_url, and that the proxy or tunnel behind it is running.`,
      no_name: ({ host, detail }) =>
        `The name ${host} does not resolve (${detail}). Check public_base_url, and that the proxy or tunnel behind it is running.`,
      certificate: ({ host, detail }) =>
        `The certificate of ${host} is not one that Meta would trust (${detail}). Check public_base_url, and that the proxy or tunnel behind it is running.`,
      silent: ({ host, detail }) =>
        `${host} does not answer in time (${detail}). Check public_base_url, and that the proxy or tunnel behind it is running.`,
      unreachable: ({ host, detail }) =>
        `${host} cannot be reached from outside (${detail}). Check public_base_url, and that the proxy or tunnel behind it is running.`,
      other: ({ host, detail }) =>
        `Something else answers at ${host} (status ${detail}). Let the proxy or tunnel pass /callbacks/ on to this service, with the Host header as it came.`,
    },
  },
  reasons: {
    phone_number_id_form: () => 'The phone number ID is a long number without spaces, not the phone number itself.',
    waba_id_form: () => 'The WhatsApp Business account ID is a long number without spaces.',
    access_token_form: () => 'Paste the whole access token; it begins with EAA and has no spaces.',
    app_secret_form: () => 'The app secret has 32 characters, digits and a to f.',
    pin_form: () => 'The PIN has six digits.',
    other_account: () =>
      'This number does not belong to the WhatsApp Business account with this id. Copy both ids from the same page at Meta.',
    pin_needed: () =>
      'WhatsApp does not carry this number over the Cloud API yet. Give six digits as its PIN: the one it has already, or a new one. Write it down.',
    other_app_secret: () =>
      'This is not the secret of the app that the access token belongs to. Copy it from App settings → Basic.',
    token_dead: () =>
      'Meta does not take this access token. Make a new one for a system user, without an end, and paste the whole of it.',
    permission: () =>
      'This access token lacks permissions. It needs whatsapp_business_messaging and whatsapp_business_management, and the system user needs the WhatsApp account among its assets.',
    unknown_id: (detail) => `Meta does not know this id, or this access token may not see it (${detail}).`,
    blocked: () => 'Meta has locked this account. Look into the Business Support Home at Meta.',
    no_number: () =>
      'Meta shared no number that is not connected already. Begin again, and choose or add a number there.',
    unreachable: (detail) => `Meta cannot be reached at the moment (${detail}). Try again in a minute.`,
    refused: (detail) => `Meta refused this (${detail}).`,
  },
  gone: {
    title: 'This page is no longer available',
    text: 'This link was already used, or it is incomplete. Ask the person who sent it: they can check the number in Switchboard and send you a new link.',
  },
}
