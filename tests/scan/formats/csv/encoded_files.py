"""CSV files of many countries: languages, encodings, delimiters and sizes, the same each time."""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Language(NamedTuple):
    """What a program of a country writes into its exports."""

    name: str
    headers: Sequence[str]
    words: Sequence[str]
    encodings: Sequence[str]


RUSSIAN = Language(
    "Russian",
    ("Код товара", "Наименование", "Количество", "Цена", "Дата заказа", "Город", "Примечание",
     "Фамилия", "Адрес доставки", "Ед. изм."),
    ("Молоко пастеризованное", "Хлеб ржаной", "Санкт-Петербург", "Екатеринбург", "Иванов Пётр",
     "ул. Ленина", "Сыр твёрдый", "шт.", "Оплачено наличными", "Чай чёрный байховый", "Москва",
     "Нижний Новгород", "доставка до двери", "возврат", "Кузнецова Мария", "Яблоки свежие"),
    ("cp1251", "koi8_r"),
)  # fmt: skip
BULGARIAN = Language(
    "Bulgarian",
    ("Номер", "Име на клиента", "Град", "Сума", "Дата на плащане", "Бележка"),
    ("София", "Пловдив", "Стара Загора", "Георги Димитров", "платено в брой", "кисело мляко",
     "хляб", "по банков път", "Велико Търново", "Иванка Петрова", "очаква се плащане"),
    ("cp1251",),
)  # fmt: skip
UKRAINIAN = Language(
    "Ukrainian",
    ("Назва", "Кількість", "Місто", "Ціна з ПДВ", "Дата відвантаження", "Прізвище"),
    ("Київ", "Львів", "Дніпро", "Харків", "молоко пряжене", "хліб житній", "Шевченко Олена",
     "сплачено", "очікується оплата", "Івано-Франківськ", "Їжакевич Юрій", "повернення"),
    ("cp1251",),
)  # fmt: skip
JAPANESE = Language(
    "Japanese",
    ("商品コード", "商品名", "数量", "単価", "注文日", "都道府県", "備考", "氏名", "電話番号",
     "表示順", "能力"),
    ("東京都", "大阪府", "株式会社サンプル商事", "ノートパソコン", "在庫あり", "山田太郎",
     "鈴木花子", "送料無料", "北海道札幌市", "ソフトウェア", "キャンセル", "お届け日指定",
     "ﾃｽﾄ", "カラー：ブラック", "予約商品", "ポイント還元"),
    ("shift_jis", "euc_jp"),
)  # fmt: skip
CHINESE = Language(
    "simplified Chinese",
    ("产品编号", "产品名称", "数量", "单价", "订单日期", "城市", "备注", "客户姓名", "联系电话"),
    ("北京市", "上海市", "广州市天河区", "有限公司", "笔记本电脑", "库存充足", "张伟", "王芳",
     "已付款", "等待发货", "退货申请", "免费配送", "李娜", "深圳市南山区", "电子产品", "手机配件"),
    ("gbk", "gb18030"),
)  # fmt: skip
TAIWANESE = Language(
    "traditional Chinese",
    ("產品編號", "產品名稱", "數量", "單價", "訂單日期", "縣市", "備註", "客戶姓名", "聯絡電話"),
    ("臺北市信義區", "高雄市", "股份有限公司", "筆記型電腦", "庫存充足", "陳志明", "林淑芬",
     "已付款", "等待出貨", "退貨申請", "免運費", "新北市板橋區", "電子產品", "許功蓋", "手機配件"),
    ("big5",),
)  # fmt: skip
KOREAN = Language(
    "Korean",
    ("상품코드", "상품명", "수량", "단가", "주문일자", "지역", "비고", "고객명", "전화번호"),
    ("서울특별시", "부산광역시", "주식회사 샘플", "노트북 컴퓨터", "재고 있음", "김철수",
     "이영희", "결제 완료", "배송 준비중", "반품 요청", "무료 배송", "경기도 성남시", "전자제품"),
    ("euc_kr", "cp949"),
)  # fmt: skip
POLISH = Language(
    "Polish",
    ("Numer zamówienia", "Imię", "Nazwisko", "Ilość", "Województwo", "Data płatności", "Wartość",
     "Miejscowość", "Uwagi"),
    ("Łódź", "Kraków", "Poznań", "Gdańsk", "śląskie", "Małgorzata Wójcik", "Żółty ser",
     "opłacono przelewem", "świętokrzyskie", "chleb żytni", "Grażyna Dąbrowska", "zwrot",
     "mąka pszenna", "Częstochowa", "wysyłka następnego dnia", "Zażółcić"),
    ("iso8859_2", "cp1250"),
)  # fmt: skip
CZECH = Language(
    "Czech",
    ("Číslo objednávky", "Jméno", "Příjmení", "Množství", "Město", "Datum splatnosti", "Částka",
     "Poznámka"),
    ("Plzeň", "Ústí nad Labem", "České Budějovice", "Tomáš Dvořák", "Žlutý sýr", "zaplaceno",
     "převodem na účet", "Šárka Novotná", "vráceno", "Hradec Králové", "mléko čerstvé",
     "doručení do týdne", "Jiří Řezníček", "škoda", "želé"),
    ("iso8859_2", "cp1250"),
)  # fmt: skip
HUNGARIAN = Language(
    "Hungarian",
    ("Rendelésszám", "Vevő neve", "Mennyiség", "Egységár", "Város", "Fizetési határidő",
     "Megjegyzés", "Összeg"),
    ("Győr", "Székesfehérvár", "Nagy Erzsébet", "fűszerpaprika", "kifizetve", "házhoz szállítás",
     "Pécs", "Szabó Győző", "hűtőszekrény", "visszáru", "Hódmezővásárhely", "tejföl", "őszibarack"),
    ("iso8859_2", "cp1250"),
)  # fmt: skip
GREEK = Language(
    "Greek",
    ("Κωδικός", "Ονομασία", "Ποσότητα", "Τιμή μονάδας", "Ημερομηνία", "Πόλη", "Παρατηρήσεις"),
    ("Αθήνα", "Θεσσαλονίκη", "Ηράκλειο Κρήτης", "ελαιόλαδο εξαιρετικό", "Γιώργος Παπαδόπουλος",
     "πληρώθηκε", "αναμονή αποστολής", "φέτα ΠΟΠ", "Μαρία Νικολάου", "επιστροφή", "Άρτα", "Ύδρα"),
    ("cp1253",),
)  # fmt: skip
TURKISH = Language(
    "Turkish",
    ("Sipariş numarası", "Müşteri adı", "Şehir", "Ürün", "Birim fiyatı", "Açıklama", "İlçe",
     "Ödeme tarihi"),
    ("İstanbul", "Eskişehir", "Diyarbakır", "Ayşe Yılmaz", "Çağrı Öztürk", "beyaz peynir",
     "ödendi", "kargoya verildi", "iade edildi", "Kadıköy", "Beşiktaş", "ışık", "sığır eti",
     "Muğla", "şeker"),
    ("cp1254",),
)  # fmt: skip
FRENCH = Language(
    "French",
    ("Numéro", "Libellé", "Quantité", "Prix unitaire €", "Département", "Date d'échéance",
     "Créé le", "Société"),
    ("Orléans", "Béziers", "crème fraîche", "réglé", "Hélène Lefèvre", "Saint-Étienne",
     "pâté de campagne", "œufs frais", "à livrer", "Île-de-France", "Noël", "payé 12 €",
     "bœuf", "façade", "où"),
    ("iso8859_15", "cp1252"),
)  # fmt: skip
GERMAN = Language(
    "German",
    ("Kundennummer", "Straße", "Ort", "Größe", "Menge", "Fälligkeit", "Verkäufer", "Währung",
     "Überweisung"),
    ("München", "Köln", "Düsseldorf", "Müller", "Schön & Söhne", "Hauptstraße", "bezahlt",
     "Käse", "zurückgeschickt", "Jörg Weiß", "Brötchen", "Nürnberg", "ausgeführt", "Österreich"),
    ("iso8859_15", "cp1252"),
)  # fmt: skip
FINNISH = Language(
    "Finnish",
    ("Tilausnumero", "Määrä", "Yksikköhinta", "Päivämäärä", "Sähköposti", "Käyttäjä", "Lisätieto"),
    ("Jyväskylä", "Hämeenlinna", "Pöytä", "maksettu", "Järvinen", "työpöytä", "Mäkinen Päivi",
     "odottaa lähetystä", "Seinäjoki", "šakkilauta", "hyvä", "Kätevä €"),
    ("iso8859_15", "cp1252"),
)  # fmt: skip
SPANISH = Language(
    "Spanish",
    ("Número", "Descripción", "Año", "Dirección", "Teléfono", "Población", "Importe",
     "Observación"),
    ("Málaga", "A Coruña", "León", "jamón ibérico", "pagado", "pendiente de envío", "José Núñez",
     "devolución", "Cádiz", "niño", "¿urgente?", "Logroño", "café", "Muñoz Íñigo"),
    ("iso8859_15", "cp1252"),
)  # fmt: skip

LANGUAGES = (
    RUSSIAN, BULGARIAN, UKRAINIAN, JAPANESE, CHINESE, TAIWANESE, KOREAN, POLISH, CZECH, HUNGARIAN,
    GREEK, TURKISH, FRENCH, GERMAN, FINNISH, SPANISH,
)  # fmt: skip
DELIMITERS = (",", ";", "\t", "|")
ROWS = (1, 3, 8, 30, 200, 9_000)
PURE, SOME, FEW = "full", "mostly ASCII", "ASCII names"


class EncodedFile(NamedTuple):
    """A file, and what is true of it."""

    language: str
    encoding: str
    style: str
    rows: int
    delimiter: str
    names: Sequence[str]
    data: bytes


def encoded_files(count: int, seed: int = 1) -> Iterator[EncodedFile]:
    """Yield files in turn of every language and encoding, with chance in all other things."""
    chance = random.Random(seed)
    kinds = [(one, codec) for one in LANGUAGES for codec in one.encodings]
    for number in range(count):
        language, codec = kinds[number % len(kinds)]
        yield _file(language, codec, chance)


def _file(language: Language, codec: str, chance: random.Random) -> EncodedFile:
    style, rows = chance.choice((PURE, PURE, SOME, SOME, FEW)), chance.choice(ROWS)
    delimiter = chance.choice(DELIMITERS)
    names = _names(language, style, chance)
    lines = [delimiter.join(names)]
    for number in range(rows):
        cells = [_cell(language, style, chance, number) for _ in names[1:]]
        lines.append(delimiter.join((str(number), *cells)))
    newline = chance.choice(("\n", "\r\n"))
    data = newline.join([*lines, ""]).encode(codec, "ignore")
    shown = [name.encode(codec, "ignore").decode(codec) for name in names]
    return EncodedFile(language.name, codec, style, rows, delimiter, shown, data)


def _names(language: Language, style: str, chance: random.Random) -> list[str]:
    ascii_names = ["id", "customer", "city", "amount", "note", "created_at"]
    width = chance.randint(3, 6)
    if style == FEW:
        return ascii_names[:width]
    own = chance.sample(list(language.headers), width - 1)
    if style == SOME:
        own = [own[0], *ascii_names[2:width]]
    return ["id", *own]


def _cell(language: Language, style: str, chance: random.Random, number: int) -> str:
    if style == PURE and chance.random() < 0.5:
        return chance.choice(language.words)
    if style != PURE and chance.random() < 0.1:
        return chance.choice(language.words)
    return chance.choice((str(number * 3), f"{number}.5", "2024-05-01", "open", "Alpha", "item"))
