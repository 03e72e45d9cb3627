package import Vocabulary

extension PageTexts {
    /// The page of the console that shows applications how to begin.
    package struct ConsoleTry: TranslatedTexts, Sendable {
        package var title: String
        package var signInBody: String
        package var signIn: String
        package var snippets: String
    }
}

extension Language {
    package var consoleTryTexts: PageTexts.ConsoleTry { texts() }
}

extension PageTexts.ConsoleTry {
    static let english = Self(
        title: "Try it",
        signInBody: "Sign up and in on the pages of this project, in a tab of its own. The account is a real one.",
        signIn: "Open the sign-in page",
        snippets: "For an application or a backend, with the values of this installation:")

    static let german = Self(
        title: "Ausprobieren",
        signInBody:
            "Registrieren Sie sich auf den Seiten dieses Projekts und melden Sie sich an, in einem eigenen Tab. Das Konto ist ein echtes.",
        signIn: "Anmeldeseite öffnen",
        snippets: "Für eine Anwendung oder ein Backend, mit den Werten dieser Installation:")

    static let french = Self(
        title: "Essayer",
        signInBody:
            "Inscrivez-vous et connectez-vous sur les pages de ce projet, dans un onglet à part. Le compte est un vrai compte.",
        signIn: "Ouvrir la page de connexion",
        snippets: "Pour une application ou un serveur, avec les valeurs de cette installation :")

    static let spanish = Self(
        title: "Probar",
        signInBody:
            "Regístrese e inicie sesión en las páginas de este proyecto, en una pestaña propia. La cuenta es real.",
        signIn: "Abrir la página de inicio de sesión",
        snippets: "Para una aplicación o un servidor, con los valores de esta instalación:")

    static let japanese = Self(
        title: "試す",
        signInBody: "このプロジェクトのページで登録とログインを試せます。別のタブで開きます。アカウントは実際に作られます。",
        signIn: "ログインページを開く",
        snippets: "アプリケーションやバックエンド用です。このインストールの値が入っています:")

    static let korean = Self(
        title: "사용해 보기",
        signInBody: "이 프로젝트의 페이지에서 가입하고 로그인해 보세요. 별도의 탭에서 열립니다. 계정은 실제로 만들어집니다.",
        signIn: "로그인 페이지 열기",
        snippets: "애플리케이션이나 백엔드용이며 이 설치의 값이 들어 있습니다:")

    static let thai = Self(
        title: "ลองใช้",
        signInBody: "สมัครและลงชื่อเข้าใช้บนหน้าของโปรเจ็กต์นี้ในแท็บแยก บัญชีเป็นบัญชีจริง",
        signIn: "เปิดหน้าลงชื่อเข้าใช้",
        snippets: "สำหรับแอปพลิเคชันหรือแบ็กเอนด์ พร้อมค่าของการติดตั้งนี้:")

    static let arabic = Self(
        title: "تجربة",
        signInBody: "سجّل حسابًا وادخل على صفحات هذا المشروع في علامة تبويب مستقلة. الحساب حقيقي.",
        signIn: "فتح صفحة تسجيل الدخول",
        snippets: "لتطبيق أو خادم، بقيم هذا التثبيت:")
}
