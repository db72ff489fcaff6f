import type { Words } from './shape.ts'

export const en: Words = {
  open: 'Open Switchboard',
  quit: 'Quit Switchboard',
  settings: 'Settings…',
  tray: {
    starting: 'Starting…',
    state({ total, connected }) {
      if (total === 0) return 'No numbers yet'
      if (connected === total) return total === 1 ? 'The number is connected' : `All ${total} numbers connected`
      return `${connected} of ${total} numbers connected`
    },
    lost: (count) => (count === 1 ? '1 number needs attention' : `${count} numbers need attention`),
  },
  closing: {
    question: 'Keep Switchboard running in the background?',
    detail:
      'Numbers stay connected and webhooks are delivered only while Switchboard is running. Find it in the tray. You can change this in Settings.',
    hide: 'Keep running',
    quit: 'Quit',
  },
  quitting: {
    question: 'Quit and lose unsaved changes?',
    detail: 'Something you typed has not been saved or sent.',
    stay: 'Keep editing',
    quit: 'Quit anyway',
  },
  notStarted: "Switchboard couldn't start",
  lost: {
    one: (name) => ({
      title: 'A number disconnected',
      body: `${name} is no longer connected. Open Switchboard to see why.`,
    }),
    many: (count) => ({ title: `${count} numbers disconnected`, body: 'Open Switchboard to see which ones and why.' }),
  },
  deliveries: {
    failed: (host) => ({
      title: 'Webhook delivery failed',
      body: `${host} rejected an event after every retry. You can resend it from Switchboard.`,
    }),
    off: (host) => ({
      title: 'Webhook deactivated',
      body: `${host} keeps rejecting events. They are stored, and you can send them once it works again.`,
    }),
    many: (count) => ({ title: `${count} webhooks are failing`, body: 'Some events could not be delivered.' }),
  },
  messages: {
    one: (from, instance) => ({ title: 'New message', body: `${from} wrote to ${instance}.` }),
    many: (chats) => ({ title: 'New messages', body: `In ${chats} conversations.` }),
  },
  menu: {
    about: 'About Switchboard',
    hide: 'Hide Switchboard',
    hideOthers: 'Hide Others',
    showAll: 'Show All',
    edit: 'Edit',
    undo: 'Undo',
    redo: 'Redo',
    cut: 'Cut',
    copy: 'Copy',
    paste: 'Paste',
    selectAll: 'Select All',
    view: 'View',
    actualSize: 'Actual Size',
    zoomIn: 'Zoom In',
    zoomOut: 'Zoom Out',
    fullScreen: 'Full Screen',
    window: 'Window',
    minimize: 'Minimize',
    close: 'Close',
  },
}
