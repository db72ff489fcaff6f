/** Links of services that show a page about a file instead of the file. */

interface ShareLink {
  /** Where the file itself is. It may be reached through redirects. */
  readonly url: string
  readonly service: 'Google Drive' | 'Dropbox'
}

const ID = /^[\w-]{10,128}$/

/**
 * The direct download of a share link of Google Drive or Dropbox. Files of Google Docs are exported: texts and slides as
 * PDF, sheets as XLSX.
 * @returns undefined for any other address
 */
export function directDownload(address: string): ShareLink | undefined {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  const host = url.hostname.toLowerCase()
  if (host === 'drive.google.com' || host === 'drive.usercontent.google.com') return ofDrive(url)
  if (host === 'docs.google.com') return ofDocs(url)
  if (host === 'dropbox.com' || host === 'www.dropbox.com') return ofDropbox(url)
  return undefined
}

function ofDrive({ pathname, searchParams }: URL): ShareLink | undefined {
  const id = /^\/(?:a\/[^/]+\/)?file\/(?:u\/\d+\/)?d\/([^/]+)/.exec(pathname)?.[1] ?? searchParams.get('id')
  if (id === null || !ID.test(id)) return undefined
  const url = new URL('https://drive.usercontent.google.com/download')
  url.searchParams.set('id', id)
  url.searchParams.set('export', 'download')
  // Skips the question whether to download a file that is too large to be scanned for viruses.
  url.searchParams.set('confirm', 't')
  const key = searchParams.get('resourcekey')
  if (key !== null) url.searchParams.set('resourcekey', key)
  return { url: url.href, service: 'Google Drive' }
}

const EXPORTS: Readonly<Record<string, string>> = {
  document: 'export?format=pdf',
  spreadsheets: 'export?format=xlsx',
  presentation: 'export/pdf',
}

function ofDocs({ pathname, searchParams }: URL): ShareLink | undefined {
  const [, kind = '', id = ''] = /^\/(?:a\/[^/]+\/)?(\w+)\/(?:u\/\d+\/)?d\/([^/]+)/.exec(pathname) ?? []
  if (kind === 'file' || kind === '') return ofDrive(new URL(`https://drive.google.com${pathname}?${searchParams}`))
  const path = EXPORTS[kind]
  if (path === undefined || !ID.test(id)) return undefined
  return { url: `https://docs.google.com/${kind}/d/${id}/${path}`, service: 'Google Drive' }
}

function ofDropbox(url: URL): ShareLink | undefined {
  if (!/^\/(?:s|scl\/fi)\//.test(url.pathname)) return undefined
  const direct = new URL(url)
  direct.protocol = 'https:'
  direct.searchParams.delete('raw')
  direct.searchParams.set('dl', '1')
  return { url: direct.href, service: 'Dropbox' }
}

/** Why a service answered with a page, to complete a sentence that begins with `media_url`. */
export function pageFault(service: ShareLink['service'] | undefined, finalUrl: string, page: string): string {
  if (service === undefined) return 'returned a web page instead of a file. Use the direct download URL of the file'
  if (/virus scan warning|uc-download-link|id="download-form"/i.test(page))
    return `returned ${service}’s virus scan warning instead of the file. Upload the file to POST /v1/media and send its media_id`
  if (/quota exceeded|too many users have viewed/i.test(page))
    return `was refused by ${service} because the file was downloaded too often. Upload the file to POST /v1/media and send its media_id`
  const { hostname = '', pathname = '' } = URL.parse(finalUrl) ?? {}
  if (hostname === 'accounts.google.com' || /\/login/.test(pathname) || /sign in|request access/i.test(page))
    return `needs a sign-in at ${service}. Share the file with anyone who has the link`
  return `returned a page of ${service} instead of the file. Check that the link leads to one file that anyone with the link can open`
}
