/** Opens a page of the payment provider: a tab in a browser, the system browser in the desktop app. */
export const openPaymentPage = (url: string): void => void window.open(url, '_blank', 'noopener')
