import type { Body, Reply } from '../../app/operation-types.ts'

type Branding = Reply<'updateBranding'>

export interface BrandForm {
  displayName: string
  logo: string | null
  /** Empty: the usual color. */
  primary: string
  background: string
  supportUrl: string
  /** One per line. */
  origins: string
}

export const brandFormOf = (brand: Branding): BrandForm => ({
  displayName: brand.display_name ?? '',
  logo: brand.logo,
  primary: brand.colors.primary ?? '',
  background: brand.colors.background ?? '',
  supportUrl: brand.support_url ?? '',
  origins: brand.allowed_origins.join('\n'),
})

const HEX = /^#[0-9a-f]{6}$/i
export const isColor = (text: string): boolean => text === '' || HEX.test(text)

/** The complete colors; a partly typed one is left out. */
export const colorsOf = ({ primary, background }: Pick<BrandForm, 'primary' | 'background'>) => ({
  ...(HEX.test(primary) && { primary }),
  ...(HEX.test(background) && { background }),
})

export const brandBodyOf = (form: BrandForm): Body<'updateBranding'> => ({
  display_name: form.displayName.trim() === '' ? null : form.displayName.trim(),
  logo: form.logo,
  colors: colorsOf(form),
  support_url: form.supportUrl.trim() === '' ? null : form.supportUrl.trim(),
  allowed_origins: [
    ...new Set(
      form.origins
        .split(/\s+/)
        .map((origin) => origin.replace(/(?<!\/)\/+$/, ''))
        .filter((origin) => origin !== ''),
    ),
  ],
})

/** An image as a data URI. @returns undefined if the service does not support it. */
export async function readLogo(file: File, maxLength: number): Promise<string | undefined> {
  if (!/^image\/(png|jpeg|webp|gif)$/.test(file.type)) return undefined
  const uri = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : '')
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'))
    reader.readAsDataURL(file)
  })
  return uri.length > maxLength ? undefined : uri
}
