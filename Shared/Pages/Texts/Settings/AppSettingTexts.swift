import Vocabulary

extension PageTexts.Settings {
    /// Applications and their verification, the logo, and the removal of an identity provider.
    package struct Apps: TranslatedTexts, Sendable {
        package var area: Setting
        package var androidApps: Setting
        package var iosApps: Setting
        package var recaptchaKeys: Setting
        package var emailEnforcement: Setting
        package var phoneEnforcement: Setting
        package var recaptchaRules: Setting
        package var audit: String
        package var enforce: String
        package var logo: Setting
        package var saveLogo: String
        package var removeLogo: String
        package var removeProvider: PageTexts.Message
        package var linkedUsers: String
        package var usersWithoutOtherWay: String
        package var atLeast: @Sendable (Int) -> String
    }
}

extension PageTexts.Settings.Apps {
    static let english = Self(
        area: .init("Applications and reCAPTCHA", "How a request proves that it comes from an application of yours."),
        androidApps: .init(
            "Android applications with passkeys",
            "One in each line: the package name, and the SHA-256 fingerprints of its certificates with commas between them."
        ),
        iosApps: .init(
            "iOS applications",
            "One in each line: the bundle ID, and, if it has them, the app ID and the client ID. A hyphen stands for a missing one."
        ),
        recaptchaKeys: .init("Site keys of reCAPTCHA", "One in each line: WEB, IOS or ANDROID, and the key."),
        emailEnforcement: .init("reCAPTCHA for e-mail and password", "Applications are told so."),
        phoneEnforcement: .init(
            "reCAPTCHA for phone numbers",
            "A platform without a key is not asked. Text messages are sent after it only."),
        recaptchaRules: .init(
            "Scores that are refused", "One in each line: the highest score, and BLOCK, such as 0.3 BLOCK."),
        audit: "recorded and not required",
        enforce: "required",
        logo: .init(
            "Logo",
            "PNG, JPEG or WebP, at most 32 KB and 1024 pixels wide and high. Without one, a letter stands there."),
        saveLogo: "Save the logo",
        removeLogo: "Remove the logo",
        removeProvider: .init(
            title: "Delete this identity provider",
            body:
                "Its client and its secrets are deleted, and nobody signs in with it any more. The accounts stay, and stay linked: with the same client again, they are reached again. This cannot be undone."
        ),
        linkedUsers: "Users who are linked to it",
        usersWithoutOtherWay: "Of these, users without another way to sign in",
        atLeast: { "at least \($0)" })

    static let german = Self(
        area: .init(
            "Anwendungen und reCAPTCHA", "Womit eine Anfrage zeigt, dass sie von einer Ihrer Anwendungen kommt."),
        androidApps: .init(
            "Android-Anwendungen mit Passkeys",
            "Eine in jeder Zeile: der Paketname, und die SHA-256-Fingerabdrücke ihrer Zertifikate mit Kommas dazwischen."
        ),
        iosApps: .init(
            "iOS-Anwendungen",
            "Eine in jeder Zeile: die Bundle-ID und, falls vorhanden, die App-ID und die Client-ID. Ein Bindestrich steht für eine fehlende."
        ),
        recaptchaKeys: .init(
            "Websiteschlüssel von reCAPTCHA", "Einer in jeder Zeile: WEB, IOS oder ANDROID, und der Schlüssel."),
        emailEnforcement: .init("reCAPTCHA für E-Mail und Passwort", "Das wird Anwendungen gesagt."),
        phoneEnforcement: .init(
            "reCAPTCHA für Telefonnummern",
            "Eine Plattform ohne Schlüssel wird nicht gefragt. SMS werden erst danach gesendet."),
        recaptchaRules: .init(
            "Werte, die abgelehnt werden", "Einer in jeder Zeile: der höchste Wert, und BLOCK, zum Beispiel 0.3 BLOCK."),
        audit: "aufgezeichnet und nicht verlangt",
        enforce: "verlangt",
        logo: .init(
            "Logo-Datei",
            "PNG, JPEG oder WebP, höchstens 32 KB und 1024 Pixel breit und hoch. Ohne Logo steht dort ein Buchstabe."),
        saveLogo: "Logo speichern",
        removeLogo: "Logo entfernen",
        removeProvider: .init(
            title: "Diesen Anbieter löschen",
            body:
                "Sein Client und seine Geheimnisse werden gelöscht, und niemand meldet sich mehr damit an. Die Konten bleiben, auch verknüpft: Mit demselben Client sind sie wieder erreichbar. Das lässt sich nicht rückgängig machen."
        ),
        linkedUsers: "Benutzer, die damit verknüpft sind",
        usersWithoutOtherWay: "Davon Benutzer ohne anderen Anmeldeweg",
        atLeast: { "mindestens \($0)" })

    static let french = Self(
        area: .init(
            "Applications et reCAPTCHA", "Ce qui prouve qu’une requête vient d’une de vos applications."),
        androidApps: .init(
            "Applications Android avec clés d’accès",
            "Une par ligne : le nom de paquet, et les empreintes SHA-256 de ses certificats séparées par des virgules."),
        iosApps: .init(
            "Applications pour iOS",
            "Une par ligne : l’identifiant de bundle et, s’ils existent, ceux de l’application et du client. Un tiret remplace un identifiant absent."
        ),
        recaptchaKeys: .init("Clés de site reCAPTCHA", "Une par ligne : WEB, IOS ou ANDROID, et la clé."),
        emailEnforcement: .init("reCAPTCHA pour e-mail et mot de passe", "Les applications en sont informées."),
        phoneEnforcement: .init(
            "reCAPTCHA pour les numéros de téléphone",
            "Une plateforme sans clé n’est pas interrogée. Les SMS ne partent qu’ensuite."),
        recaptchaRules: .init(
            "Scores refusés", "Un par ligne : le score le plus haut, et BLOCK, comme 0.3 BLOCK."),
        audit: "noté et non exigé",
        enforce: "exigé",
        logo: .init(
            "Fichier du logo",
            "PNG, JPEG ou WebP, au plus 32 Ko et 1024 pixels de large et de haut. Sans logo, une lettre le remplace."),
        saveLogo: "Enregistrer le logo",
        removeLogo: "Retirer le logo",
        removeProvider: .init(
            title: "Supprimer ce fournisseur d’identité",
            body:
                "Son client et ses secrets sont supprimés, et plus personne ne se connecte par lui. Les comptes restent, et restent liés : avec le même client, ils sont de nouveau accessibles. C’est irréversible."
        ),
        linkedUsers: "Utilisateurs qui y sont liés",
        usersWithoutOtherWay: "Parmi eux, utilisateurs sans autre moyen de connexion",
        atLeast: { "au moins \($0)" })

    static let spanish = Self(
        area: .init(
            "Aplicaciones y reCAPTCHA", "Cómo prueba una solicitud que viene de una de sus aplicaciones."),
        androidApps: .init(
            "Aplicaciones de Android con passkeys",
            "Una por línea: el nombre del paquete y las huellas SHA-256 de sus certificados separadas por comas."),
        iosApps: .init(
            "Aplicaciones de iOS",
            "Una por línea: el ID de paquete y, si los tiene, el ID de aplicación y el de cliente. Un guion sustituye al que falta."
        ),
        recaptchaKeys: .init("Claves de sitio de reCAPTCHA", "Una por línea: WEB, IOS o ANDROID, y la clave."),
        emailEnforcement: .init("reCAPTCHA para correo y contraseña", "Se informa de ello a las aplicaciones."),
        phoneEnforcement: .init(
            "reCAPTCHA para números de teléfono",
            "No se pregunta a una plataforma sin clave. Los SMS solo se envían después."),
        recaptchaRules: .init(
            "Puntuaciones que se rechazan", "Una por línea: la puntuación más alta y BLOCK, como 0.3 BLOCK."),
        audit: "anotado y no exigido",
        enforce: "exigido",
        logo: .init(
            "Archivo del logotipo",
            "PNG, JPEG o WebP, de 32 KB y 1024 píxeles de ancho y alto como máximo. Sin logotipo se muestra una letra."),
        saveLogo: "Guardar el logotipo",
        removeLogo: "Quitar el logotipo",
        removeProvider: .init(
            title: "Eliminar este proveedor de identidad",
            body:
                "Se eliminan su cliente y sus secretos, y nadie inicia sesión con él. Las cuentas quedan, también vinculadas: con el mismo cliente se llega de nuevo a ellas. No se puede deshacer."
        ),
        linkedUsers: "Usuarios vinculados a él",
        usersWithoutOtherWay: "De ellos, usuarios sin otra forma de iniciar sesión",
        atLeast: { "al menos \($0)" })

    static let japanese = Self(
        area: .init("アプリケーションと reCAPTCHA", "要求が自分のアプリケーションからであることの証明。"),
        androidApps: .init(
            "パスキーを使う Android アプリケーション", "一行に一つ: パッケージ名と、証明書の SHA-256 フィンガープリント(コンマ区切り)。"),
        iosApps: .init(
            "iOS アプリケーション", "一行に一つ: バンドル ID と、あればアプリ ID とクライアント ID。ないものはハイフン。"),
        recaptchaKeys: .init("reCAPTCHA のサイトキー", "一行に一つ: WEB、IOS または ANDROID と、キー。"),
        emailEnforcement: .init("メールとパスワードの reCAPTCHA", "アプリケーションに伝えられます。"),
        phoneEnforcement: .init("電話番号の reCAPTCHA", "キーのないプラットフォームには求めません。SMS はその後にのみ送ります。"),
        recaptchaRules: .init("拒否するスコア", "一行に一つ: 最も高いスコアと BLOCK、例: 0.3 BLOCK。"),
        audit: "記録のみで必須ではない",
        enforce: "必須",
        logo: .init("ロゴ", "PNG、JPEG または WebP。最大 32 KB、縦横 1024 ピクセルまで。ない場合は文字を表示します。"),
        saveLogo: "ロゴを保存",
        removeLogo: "ロゴを削除",
        removeProvider: .init(
            title: "この ID プロバイダーを削除",
            body: "クライアントとシークレットが削除され、誰もログインに使えなくなります。アカウントと連携は残り、同じクライアントを設定し直すと再び使えます。元に戻せません。"
        ),
        linkedUsers: "連携しているユーザー",
        usersWithoutOtherWay: "そのうち、ほかのログイン方法がないユーザー",
        atLeast: { "\($0) 以上" })

    static let korean = Self(
        area: .init("애플리케이션과 reCAPTCHA", "요청이 내 애플리케이션에서 왔음을 증명하는 방법."),
        androidApps: .init(
            "패스키를 쓰는 Android 애플리케이션", "한 줄에 하나: 패키지 이름과 인증서의 SHA-256 지문(쉼표로 구분)."),
        iosApps: .init("iOS 애플리케이션", "한 줄에 하나: 번들 ID와, 있으면 앱 ID와 클라이언트 ID. 없는 것은 하이픈."),
        recaptchaKeys: .init("reCAPTCHA 사이트 키", "한 줄에 하나: WEB, IOS 또는 ANDROID와 키."),
        emailEnforcement: .init("이메일과 비밀번호의 reCAPTCHA", "애플리케이션에 알려집니다."),
        phoneEnforcement: .init("전화번호의 reCAPTCHA", "키가 없는 플랫폼에는 요구하지 않습니다. SMS는 그 뒤에만 보냅니다."),
        recaptchaRules: .init("거부할 점수", "한 줄에 하나: 가장 높은 점수와 BLOCK, 예: 0.3 BLOCK."),
        audit: "기록만 하고 요구하지 않음",
        enforce: "필수",
        logo: .init("로고", "PNG, JPEG 또는 WebP, 최대 32 KB, 가로와 세로 1024픽셀까지. 없으면 글자가 표시됩니다."),
        saveLogo: "로고 저장",
        removeLogo: "로고 삭제",
        removeProvider: .init(
            title: "이 ID 제공업체 삭제",
            body: "클라이언트와 보안 비밀이 삭제되고 아무도 이것으로 로그인할 수 없습니다. 계정과 연결은 남으며, 같은 클라이언트를 다시 설정하면 다시 쓸 수 있습니다. 되돌릴 수 없습니다."
        ),
        linkedUsers: "연결된 사용자",
        usersWithoutOtherWay: "그중 다른 로그인 방법이 없는 사용자",
        atLeast: { "\($0) 이상" })

    static let thai = Self(
        area: .init("แอปพลิเคชันและ reCAPTCHA", "สิ่งที่พิสูจน์ว่าคำขอมาจากแอปพลิเคชันของคุณ"),
        androidApps: .init(
            "แอปพลิเคชัน Android ที่ใช้พาสคีย์",
            "หนึ่งแอปต่อบรรทัด: ชื่อแพ็กเกจ และลายนิ้วมือ SHA-256 ของใบรับรอง คั่นด้วยจุลภาค"),
        iosApps: .init(
            "แอปพลิเคชัน iOS", "หนึ่งแอปต่อบรรทัด: รหัสบันเดิล และรหัสแอปกับรหัสไคลเอนต์ถ้ามี ใช้ขีดแทนสิ่งที่ไม่มี"),
        recaptchaKeys: .init("คีย์ไซต์ของ reCAPTCHA", "หนึ่งคีย์ต่อบรรทัด: WEB, IOS หรือ ANDROID และคีย์"),
        emailEnforcement: .init("reCAPTCHA สำหรับอีเมลและรหัสผ่าน", "แอปพลิเคชันจะได้รับแจ้ง"),
        phoneEnforcement: .init(
            "reCAPTCHA สำหรับหมายเลขโทรศัพท์", "ไม่ถามแพลตฟอร์มที่ไม่มีคีย์ และส่ง SMS หลังจากนั้นเท่านั้น"),
        recaptchaRules: .init("คะแนนที่ปฏิเสธ", "หนึ่งค่าต่อบรรทัด: คะแนนสูงสุด และ BLOCK เช่น 0.3 BLOCK"),
        audit: "บันทึกแต่ไม่บังคับ",
        enforce: "บังคับ",
        logo: .init(
            "โลโก้", "PNG, JPEG หรือ WebP ไม่เกิน 32 KB กว้างและสูงไม่เกิน 1024 พิกเซล ถ้าไม่มีจะแสดงตัวอักษร"),
        saveLogo: "บันทึกโลโก้",
        removeLogo: "ลบโลโก้",
        removeProvider: .init(
            title: "ลบผู้ให้บริการข้อมูลประจำตัวนี้",
            body:
                "ไคลเอนต์และข้อมูลลับจะถูกลบ และไม่มีใครลงชื่อเข้าใช้ด้วยผู้ให้บริการนี้ได้ บัญชีและการเชื่อมโยงยังอยู่ เมื่อใช้ไคลเอนต์เดิมอีกครั้งจะกลับมาใช้ได้ การลบนี้เลิกทำไม่ได้"
        ),
        linkedUsers: "ผู้ใช้ที่เชื่อมโยงอยู่",
        usersWithoutOtherWay: "ในจำนวนนี้ ผู้ใช้ที่ไม่มีวิธีลงชื่อเข้าใช้อื่น",
        atLeast: { "อย่างน้อย \($0)" })

    static let arabic = Self(
        area: .init("التطبيقات وreCAPTCHA", "ما يثبت أن الطلب جاء من أحد تطبيقاتك."),
        androidApps: .init(
            "تطبيقات Android مع مفاتيح المرور",
            "تطبيق في كل سطر: اسم الحزمة، وبصمات SHA-256 لشهاداته مفصولة بفواصل لاتينية."),
        iosApps: .init(
            "تطبيقات iOS",
            "تطبيق في كل سطر: معرّف الحزمة، ثم معرّف التطبيق ومعرّف العميل إن وُجدا. تحل الشرطة محل المفقود."),
        recaptchaKeys: .init("مفاتيح الموقع لـ reCAPTCHA", "مفتاح في كل سطر: WEB أو IOS أو ANDROID ثم المفتاح."),
        emailEnforcement: .init("reCAPTCHA للبريد وكلمة المرور", "تُخبر التطبيقات بذلك."),
        phoneEnforcement: .init(
            "reCAPTCHA لأرقام الهاتف", "لا تُسأل منصة بلا مفتاح. ولا تُرسل الرسائل القصيرة إلا بعد ذلك."),
        recaptchaRules: .init("الدرجات المرفوضة", "درجة في كل سطر: أعلى درجة ثم BLOCK، مثل 0.3 BLOCK."),
        audit: "تُسجّل ولا تُطلب",
        enforce: "مطلوبة",
        logo: .init(
            "الشعار", "PNG أو JPEG أو WebP، بحد أقصى 32 كيلوبايت و1024 بكسل عرضًا وارتفاعًا. وبدونه يظهر حرف."),
        saveLogo: "حفظ الشعار",
        removeLogo: "إزالة الشعار",
        removeProvider: .init(
            title: "حذف مزوّد الهوية هذا",
            body:
                "يُحذف عميله وأسراره، ولا يدخل به أحد بعد ذلك. تبقى الحسابات وتبقى مرتبطة: بالعميل نفسه مرة أخرى يمكن الوصول إليها. لا يمكن التراجع."
        ),
        linkedUsers: "المستخدمون المرتبطون به",
        usersWithoutOtherWay: "منهم مستخدمون بلا طريقة أخرى للدخول",
        atLeast: { "\($0) على الأقل" })
}
