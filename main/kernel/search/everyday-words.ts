import { stem } from './stem.ts'

const words = (text: string): string[] => text.trim().split(/\s+/)

/** Folded words that say nothing about the subject, in Portuguese, Spanish and English. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  words(`
  a o as os um uma uns umas e ou de do da dos das em no na nos nas num numa por pelo pela para pra pro com sem que qual
  quais como se eu voce voces nos ele ela eles elas meu minha meus minhas seu sua seus suas nosso nossa me te lhe isso
  isto esse essa este esta ta to ai aqui la ja so mais mas muito tambem ate sobre entre ser e eh sao foi era estou esta
  estao tem ter tenho temos havia ha pode podem posso consigo quero queria gostaria preciso saber fazer faz fazem faco
  dar da vou vai vem ver oi ola oie alo bom boa bem tudo favor obrigado obrigada nao sim n dia gente alguem algum alguma
  algo coisa tipo entao nesse nessa desse dessa dele dela qualquer ai aceita aceitam trabalham trabalha oferecem oferece
  possivel seria existe quantos quantas atende atendem atender
  el la los las un una unos unas y u del al en con sin que cual cuales como si yo tu usted ustedes ella ellos ellas mi
  mis su sus nuestro lo le les esto eso ese esa este esta aqui alli ya solo mas pero muy tambien hasta sobre entre ser es
  son fue era estoy estan hay tengo tienen tiene tenes tienes puedo puede pueden podria podrian quiero quisiera necesito
  saber hacer hace hacen hago voy va van ver hola buen buenas buenos bien favor gracias no si algun alguna alguien algo
  entonces aceptan acepta trabajan ofrecen ofrece posible seria manejan haces cuantos cuantas atienden
  atiende atender
  the a an and or of to in on at by for from with without that which what how if i you he she it we they my your his her
  its our their me us them this these those here there is are was were be been am do does did doing have has had can
  could may might must shall should will would want wanna need like know get got hi hello hey please thanks thank yes no
  not any some someone something so then than too very just also about into out up u ur r im ive id youre guys accept
  accepts offer offers take takes possible ok okay let lets make give go going see look
`),
)

/** Words that say what kind of answer is expected, and less about the subject than any other word. */
export const QUESTION_WORDS: ReadonlySet<string> = new Set(
  words('onde donde where quando cuando when quanto cuanto').map(stem),
)

/** Short forms of chats and what they stand for. */
export const SHORT_FORMS: Readonly<Record<string, string>> = {
  ...{ vc: 'voce', vcs: 'voces', q: 'que', qe: 'que', ke: 'que', pq: 'que', xq: 'que', hj: 'hoje', tb: 'tambem' },
  ...{ tbm: 'tambem', tmb: 'tambem', qto: 'quanto', qt: 'quanto', qnt: 'quanto', qnto: 'quanto', kto: 'cuanto' },
  ...{ cto: 'cuanto', cnto: 'cuanto', qdo: 'quando', qd: 'quando', qndo: 'quando', ond: 'onde', dnd: 'donde' },
  ...{ zap: 'whatsapp', zapzap: 'whatsapp', wpp: 'whatsapp', wsp: 'whatsapp', whats: 'whatsapp', wa: 'whatsapp' },
  ...{ cel: 'celular', tel: 'telefone', hr: 'horas', hrs: 'horas', sab: 'sabado', sat: 'saturday', dom: 'domingo' },
  ...{ sun: 'sunday', fds: 'weekend', finde: 'weekend', findes: 'weekend', wknd: 'weekend', wkend: 'weekend' },
  ...{ appt: 'appointment', apt: 'appointment', appts: 'appointment', pls: 'please', plz: 'please', porfa: 'favor' },
  ...{ xfa: 'favor', pfv: 'favor', pfvr: 'favor', pf: 'favor', obg: 'obrigado', vlw: 'obrigado', blz: 'bem' },
  ...{ thx: 'thanks', ty: 'thanks', mt: 'muito', mto: 'muito', msm: 'mesmo', aki: 'aqui', addy: 'address' },
  ...{ loc: 'localizacao', info: 'informacoes', promo: 'promocao', deliv: 'delivery', x: 'por', k: 'que' },
}

/** What several words say together, and the words on their own do not. The first that fits is taken. */
export const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(bo[mna]s? (dias?|tardes?|noites?)|buen[oa]s? (dias?|tardes?|noches?)|good (morning|afternoon|evening))\b/g, ' '],
  [/\b(tudo (bem|bom)|todo bien|como (estas?|vai|van|estan?)|por favor|how are you)\b/g, ' '],
  [
    /\b((quant|cuant)o (tempo|tiempo)|(quant|cuant)[oa]s (dias|horas)|how (long|many (days|hours)|fast|soon))\b/g,
    ' #duration ',
  ],
  [/\b((em|en) (quanto|cuanto)|cuanto (se )?(tard|demor)\w+|quanto demora\w*|when will)\b/g, ' #duration '],
  [/\b((ate )?(que|q) horas?|a que hora|what time|que dias?|what days|which days)\b/g, ' #hours '],
  [/\b(how much|a como|(quanto|cuanto) (e|es|que e|sale|fica|esta|ta)|por (quanto|cuanto))\b/g, ' #price '],
  [/\b(fi[mn]s? de semana|week ?ends?)\b/g, ' weekend '],
  [/\bwi fi\b/g, ' wifi '],
  [/\b(nota fiscal|notas fiscais)\b/g, ' invoice '],
  [/\b(hora marcada|horario marcado|walk ?ins?|sem marcar|sin cita)\b/g, ' #booking '],
  [/\b(pick ?up|picked up)\b/g, ' pickup '],
  [/\b(sign ?up|signing up)\b/g, ' signup '],
  [/\b(money back|dinheiro de volta|devolver (el|o|meu|mi) dinh?eiro|devolver el dinero)\b/g, ' refund '],
  [/\b(silla de ruedas|cadeira de rodas|wheel chair)\b/g, ' wheelchair '],
  [/\b(obra social|plano de saude|health plan)\b/g, ' insurance '],
  [/\b(al por mayor|por mayor)\b/g, ' wholesale '],
  [
    /\b(onde|donde|where) (esta|is|ta|anda) (o |el |la |a |my |mi |meu |minha )?(pedido|order|encomenda|compra|package)\b/g,
    ' tracking pedido ',
  ],
]

const GROUPS = {
  hours: `horario hora horas abre abrem abrir aberto abierto abierta abren fecha fecham fechado cierra cierran cerrado open opens
    opening close closes closed closing hours expediente funcionamento funcionamiento funcionam funciona`,
  price: `preco precio valor valores custa custam cuesta cuestan custo costo cost costs price prices pricing priced tarifa fee fees
    rates quanto cuanto charge charges cobram cobran cobra vale sale`,
  quote: `orcamento presupuesto cotizacion cotizar quote quotes estimate estimates`,
  address: `endereco direccion address located location localizacao localizado localizados ubicacion ubicados ubicado onde donde
    where fica ficam queda quedan llegar chegar directions encuentran`,
  payment: `pagar pagamento pagamentos pago pagos pay payment payments pix cartao cartoes tarjeta tarjetas card cards credito
    debito credit debit dinheiro efectivo cash boleto transferencia venmo zelle paypal bizum`,
  installments: `parcela parcelas parcelar parcelado parcelam vezes cuota cuotas installment installments plazos financing`,
  delivery: `entrega entregas entregam entregar delivery frete envio envios envian enviam enviar shipping ship ships deliver
    domicilio reparto despacho motoboy correios reparten`,
  duration: `demora demoram demoran prazo tarda tardan tempo tiempo plazo turnaround dura duracion duracao lasts last when quando
    cuando`,
  booking: `agendar agendamento agenda marcar marco reserva reservar reservas book booking bookings appointment appointments cita
    citas turno turnos schedule reservation reservations`,
  cancel: `cancelar cancelo cancelamento cancel cancelacion cancellation canceling cancelling desmarcar remarcar reagendar
    reschedule reprogramar desistir`,
  exchange: `troca trocar trocas devolver devolucao devolucoes devolucion devoluciones cambio cambios cambiar return returns
    returning exchange exchanges refund refunds reembolso estorno reembolsan`,
  warranty: `garantia garantias warranty guarantee guaranteed`,
  parking: `estacionamento estacionar parking park estacionamiento aparcamiento aparcar parqueadero cochera parqueo`,
  contact: `telefone telefono phone whatsapp email contato contacto contact llamar ligar call correo`,
  children: `crianca criancas kid kids child children nino ninos nina ninas infantil infantis filho filha filhos hijo hija hijos son
    daughter menino menina bebe baby toddler`,
  discount: `desconto descontos descuento descuentos promocao promocoes promocion promociones oferta ofertas discount discounts
    coupon coupons cupom cupon deal deals`,
  plants: `vegano vegana veganos veganas vegetariano vegetariana vegetarianos vegetarianas vegan vegetarian`,
  dog: `cachorro cachorros perro perros perrito dog dogs`,
  cat: `gato gatos gatito gata cat cats`,
  pet: `pet pets mascota mascotas animal animais animales bicho cachorro cachorros perro perros perrito dog dogs gato gatos gatito
    gata cat cats`,
  weekend: `weekend sabado sabados domingo domingos saturday saturdays sunday sundays`,
  saturday: `sabado sabados saturday saturdays`,
  sunday: `domingo domingos sunday sundays`,
  holiday: `feriado feriados festivo festivos holiday holidays`,
  insurance: `convenio convenios seguro seguros insurance mutua prepaga aseguradora aseguradoras`,
  job: `emprego trabalhar curriculo empleo trabajar trabajo job jobs hiring career careers contratando contratan`,
  invoice: `invoice invoices factura facturas facturan receipt receipts recibo boleta cnpj rfc`,
  pain: `dor dolor doi duele doler doer pain painful hurt hurts`,
  urgent: `urgencia urgencias urgente emergencia emergencias emergency urgent`,
  size: `tamanho tamanhos talla tallas talle talles size sizes sizing medidas numeracao`,
  pickup: `retirar retirada retiro recoger recojo pickup`,
  tracking: `rastrear rastreio rastreamento seguimiento rastreo tracking track`,
  order: `pedido pedidos encomenda order orders compra compras purchase`,
  wifi: `wifi internet`,
  trial: `experimental prueba trial teste`,
  free: `gratis gratuito gratuita free`,
  beginner: `iniciante iniciantes principiante principiantes beginner beginners`,
  documents: `documento documentos document documents rg cpf dni passaporte passport identidade`,
  minimum: `minimo minima minimum`,
  install: `instalar instalacao instalacion install installation installing montagem`,
  repair: `conserto consertar consertam reparar reparacion reparo repair repairs fix fixes arreglar arreglo arreglan`,
  wholesale: `atacado revenda mayorista mayoreo wholesale bulk`,
  gift: `presente presentes regalo regalos gift gifts`,
  rain: `chuva chover chove lluvia llueve llover rain rains raining weather`,
  allergy: `alergia alergico alergica alergias allergy allergies allergic`,
  accessible: `cadeirante wheelchair accessible acessibilidade acessivel accesible rampa ramp`,
  deposit: `sinal deposito deposit adelanto caucao fianza sena anticipo`,
  broken: `quebrado quebrada quebrou defeito defeituoso roto rota danado defectuoso broken damaged defective faulty rompio`,
  signup: `matricula matricular inscricao inscrever inscribirme inscripcion inscribir signup join enroll`,
  membership: `mensalidade mensalidades mensualidad membresia membership memberships plano planos plan plans planes`,
  vaccine: `vacina vacinas vacinacao vacuna vacunas vaccine vaccines vaccination`,
  bath: `banho tosa grooming bath bano`,
  whitening: `clareamento clarear blanqueamiento blanquear whitening whiten`,
  haircut: `corte cortes cortar haircut haircuts cut`,
  hair: `cabelo cabelos cabello pelo hair`,
  dye: `tinta tinte coloracao tingir tintura dye coloring`,
  cleaning: `limpeza limpezas limpieza limpiezas cleaning clean limpar limpiar`,
  late: `atrasar atraso atrasado late retraso retrasar`,
  today: `hoje hoy today`,
  tomorrow: `amanha manana tomorrow`,
  night: `noite noche night nights evening`,
  women: `mulher mulheres mujer mujeres woman women feminino`,
  men: `homem homens hombre hombres man men masculino`,
  teacher: `professor professora professores profesor profesores instructor instructors trainer teacher entrenador`,
  drink: `bebida bebidas drink drinks refrigerante refresco refrescos`,
  menu: `cardapio menu carta`,
  birthday: `aniversario cumpleanos birthday`,
  car: `carro carros coche coches auto autos car cars`,
  home: `casa domicilio home house residencia`,
  new: `novo nova nuevo nueva new`,
  used: `usado usada usados seminovo used`,
  stock: `estoque stock disponivel disponiveis disponible disponibles available availability`,
} as const

/** The subjects that a word, as its stem, stands for: words of one subject are found by each other, in any language. */
export const SUBJECTS: ReadonlyMap<string, readonly string[]> = subjects()

function subjects(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [group, text] of Object.entries(GROUPS)) {
    for (const word of new Set(words(text).map(stem))) found.set(word, [...(found.get(word) ?? []), `#${group}`])
  }
  return found
}
