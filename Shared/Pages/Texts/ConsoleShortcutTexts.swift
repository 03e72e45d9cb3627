package import Vocabulary

extension PageTexts {
    /// Keyboard shortcuts of the console.
    package struct ConsoleShortcuts: TranslatedTexts, Sendable {
        package var title: String
        package var about: String
        /// The columns of the list.
        package var key: String
        package var page: String
        package var areOn: String
    }
}

extension Language {
    package var consoleShortcutTexts: PageTexts.ConsoleShortcuts { texts() }
}

extension PageTexts.ConsoleShortcuts {
    static let english = Self(
        title: "Keyboard shortcuts",
        about: "With the keyboard you are faster. The keys work while no field has the focus.",
        key: "Keys",
        page: "Leads to",
        areOn: "Keyboard shortcuts are on in this browser")

    static let german = Self(
        title: "Tastenkürzel",
        about: "Mit der Tastatur geht es schneller. Die Tasten wirken, solange kein Feld den Fokus hat.",
        key: "Tasten",
        page: "Führt zu",
        areOn: "Tastenkürzel sind in diesem Browser eingeschaltet")

    static let french = Self(
        title: "Raccourcis clavier",
        about: "Le clavier est plus rapide. Les touches agissent quand aucun champ n’a le focus.",
        key: "Touches",
        page: "Mène à",
        areOn: "Les raccourcis clavier sont actifs dans ce navigateur")

    static let spanish = Self(
        title: "Atajos de teclado",
        about: "Con el teclado va más rápido. Las teclas actúan mientras ningún campo tiene el foco.",
        key: "Teclas",
        page: "Lleva a",
        areOn: "Los atajos de teclado están activos en este navegador")

    static let japanese = Self(
        title: "キーボードショートカット",
        about: "キーボードを使うと速くなります。入力欄にフォーカスがないときに使えます。",
        key: "キー",
        page: "移動先",
        areOn: "このブラウザーでキーボードショートカットを使う")

    static let korean = Self(
        title: "키보드 단축키",
        about: "키보드를 쓰면 더 빠릅니다. 입력란에 포커스가 없을 때 작동합니다.",
        key: "키",
        page: "이동할 곳",
        areOn: "이 브라우저에서 키보드 단축키 사용")

    static let thai = Self(
        title: "แป้นพิมพ์ลัด",
        about: "ใช้แป้นพิมพ์แล้วเร็วขึ้น แป้นใช้ได้เมื่อไม่มีช่องใดได้รับโฟกัส",
        key: "แป้น",
        page: "ไปยัง",
        areOn: "เปิดใช้แป้นพิมพ์ลัดในเบราว์เซอร์นี้")

    static let arabic = Self(
        title: "اختصارات لوحة المفاتيح",
        about: "لوحة المفاتيح أسرع. تعمل المفاتيح ما دام لا حقل في موضع التركيز.",
        key: "المفاتيح",
        page: "تقود إلى",
        areOn: "اختصارات لوحة المفاتيح مفعّلة في هذا المتصفح")
}
