package import Vocabulary

extension PageTexts {
    /// Passkeys of operators at the console.
    package struct ConsolePasskeys: TranslatedTexts, Sendable {
        /// The first sign-in adds one of two factors.
        package var choice: Message
        package var useApp: String
        /// With an address.
        package var onlyAt: @Sendable (String) -> String
        /// On the page of the sign-in, after the first passkey.
        package var signInNow: String
        /// A password is not enough.
        package var needsPasskey: String
        package var yours: String
        package var about: String
        package var none: String
        package var name: String
        package var nameHint: String
        package var onlyFactor: String
        package var removal: Message
    }
}

extension Language {
    package var consolePasskeyTexts: PageTexts.ConsolePasskeys { texts() }
}

extension PageTexts.ConsolePasskeys {
    static let english = Self(
        choice: .init(
            title: "Add a passkey or an authenticator app",
            body:
                "The console asks for two factors at each sign-in. A passkey is both at once: the device that has it asks for your finger, face or PIN."
        ),
        useApp: "Use an authenticator app",
        onlyAt: {
            "Browsers use passkeys at a name only, not at an IP address. For a passkey, open the console at \($0)"
        },
        signInNow: "The passkey is added. Sign in with it now.",
        needsPasskey: "This operator signs in with a passkey.",
        yours: "Your passkeys",
        about:
            "A passkey signs you in without a password, and counts as both factors. To add one, sign in again first.",
        none: "You have no passkey.",
        name: "Name of the passkey",
        nameHint: "Such as the device that has it. It may stay empty.",
        onlyFactor: "This is your only second factor. Add another one first.",
        removal: .init(
            title: "Remove this passkey?",
            body: "It no longer signs you in. Your other factors stay."
        ))

    static let german = Self(
        choice: .init(
            title: "Passkey oder Authenticator-App hinzufügen",
            body:
                "Die Konsole verlangt bei jeder Anmeldung zwei Faktoren. Ein Passkey ist beides zugleich: Das Gerät, das ihn hat, fragt nach Finger, Gesicht oder PIN."
        ),
        useApp: "Authenticator-App verwenden",
        onlyAt: {
            "Browser verwenden Passkeys nur unter einem Namen, nicht unter einer IP-Adresse. Öffnen Sie die Konsole für einen Passkey unter \($0)"
        },
        signInNow: "Der Passkey ist hinzugefügt. Melden Sie sich jetzt damit an.",
        needsPasskey: "Dieser Betreiber meldet sich mit einem Passkey an.",
        yours: "Ihre Passkeys",
        about:
            "Ein Passkey meldet Sie ohne Passwort an und zählt als beide Faktoren. Um einen hinzuzufügen, melden Sie sich zuerst neu an.",
        none: "Sie haben keinen Passkey.",
        name: "Name des Passkeys",
        nameHint: "Zum Beispiel das Gerät, das ihn hat. Er darf leer bleiben.",
        onlyFactor: "Das ist Ihr einziger zweiter Faktor. Fügen Sie zuerst einen anderen hinzu.",
        removal: .init(
            title: "Diesen Passkey entfernen?",
            body: "Er meldet Sie nicht mehr an. Ihre anderen Faktoren bleiben."
        ))

    static let french = Self(
        choice: .init(
            title: "Ajouter une clé d’accès ou une application d’authentification",
            body:
                "La console demande deux facteurs à chaque connexion. Une clé d’accès est les deux à la fois : l’appareil qui la contient demande votre doigt, votre visage ou un code PIN."
        ),
        useApp: "Utiliser une application d’authentification",
        onlyAt: {
            "Les navigateurs n’utilisent les clés d’accès que sous un nom, pas sous une adresse IP. Pour une clé d’accès, ouvrez la console à \($0)"
        },
        signInNow: "La clé d’accès est ajoutée. Connectez-vous maintenant avec elle.",
        needsPasskey: "Cet opérateur se connecte avec une clé d’accès.",
        yours: "Vos clés d’accès",
        about:
            "Une clé d’accès vous connecte sans mot de passe et compte comme les deux facteurs. Pour en ajouter une, reconnectez-vous d’abord.",
        none: "Vous n’avez pas de clé d’accès.",
        name: "Nom de la clé d’accès",
        nameHint: "Par exemple l’appareil qui la contient. Il peut rester vide.",
        onlyFactor: "C’est votre seul second facteur. Ajoutez-en d’abord un autre.",
        removal: .init(
            title: "Supprimer cette clé d’accès ?",
            body: "Elle ne vous connecte plus. Vos autres facteurs restent."
        ))

    static let spanish = Self(
        choice: .init(
            title: "Añadir una llave de acceso o una aplicación de autenticación",
            body:
                "La consola pide dos factores en cada inicio de sesión. Una llave de acceso es ambos a la vez: el dispositivo que la tiene pide su dedo, su rostro o un PIN."
        ),
        useApp: "Usar una aplicación de autenticación",
        onlyAt: {
            "Los navegadores usan llaves de acceso solo con un nombre, no con una dirección IP. Para una llave de acceso, abra la consola en \($0)"
        },
        signInNow: "La llave de acceso está añadida. Inicie sesión ahora con ella.",
        needsPasskey: "Este operador inicia sesión con una llave de acceso.",
        yours: "Sus llaves de acceso",
        about:
            "Una llave de acceso inicia sesión sin contraseña y cuenta como ambos factores. Para añadir una, vuelva a iniciar sesión primero.",
        none: "No tiene ninguna llave de acceso.",
        name: "Nombre de la llave de acceso",
        nameHint: "Por ejemplo, el dispositivo que la tiene. Puede quedar vacío.",
        onlyFactor: "Es su único segundo factor. Añada antes otro.",
        removal: .init(
            title: "¿Quitar esta llave de acceso?",
            body: "Ya no inicia su sesión. Sus otros factores se quedan."
        ))

    static let japanese = Self(
        choice: .init(
            title: "パスキーか認証アプリを追加する",
            body: "コンソールはログインのたびに 2 つの要素を求めます。パスキーは両方を兼ねます。パスキーのあるデバイスが指紋、顔、PIN のいずれかを求めます。"
        ),
        useApp: "認証アプリを使う",
        onlyAt: { "ブラウザーは IP アドレスではパスキーを使えません。パスキーには、名前でコンソールを開いてください: \($0)" },
        signInNow: "パスキーを追加しました。このパスキーでログインしてください。",
        needsPasskey: "このオペレーターはパスキーでログインします。",
        yours: "自分のパスキー",
        about: "パスキーはパスワードなしでログインでき、両方の要素を兼ねます。追加するには、まずもう一度ログインします。",
        none: "パスキーはありません。",
        name: "パスキーの名前",
        nameHint: "パスキーのあるデバイスなど。空でもかまいません。",
        onlyFactor: "これが唯一の 2 段階目の要素です。先に別のものを追加してください。",
        removal: .init(
            title: "このパスキーを削除しますか？",
            body: "このパスキーではログインできなくなります。ほかの要素は残ります。"
        ))

    static let korean = Self(
        choice: .init(
            title: "패스키 또는 인증 앱 추가",
            body: "콘솔은 로그인할 때마다 두 가지 요소를 요구합니다. 패스키는 둘을 겸합니다. 패스키가 있는 기기가 지문, 얼굴 또는 PIN을 요청합니다."
        ),
        useApp: "인증 앱 사용",
        onlyAt: { "브라우저는 IP 주소에서는 패스키를 쓰지 않습니다. 패스키를 쓰려면 이름으로 콘솔을 여세요: \($0)" },
        signInNow: "패스키를 추가했습니다. 이제 이 패스키로 로그인하세요.",
        needsPasskey: "이 운영자는 패스키로 로그인합니다.",
        yours: "내 패스키",
        about: "패스키는 비밀번호 없이 로그인하며 두 요소로 인정됩니다. 추가하려면 먼저 다시 로그인하세요.",
        none: "패스키가 없습니다.",
        name: "패스키 이름",
        nameHint: "예: 패스키가 있는 기기. 비워 둘 수 있습니다.",
        onlyFactor: "이것이 유일한 2단계 요소입니다. 먼저 다른 요소를 추가하세요.",
        removal: .init(
            title: "이 패스키를 삭제할까요?",
            body: "이 패스키로는 더 이상 로그인할 수 없습니다. 다른 요소는 유지됩니다."
        ))

    static let thai = Self(
        choice: .init(
            title: "เพิ่มพาสคีย์หรือแอปยืนยันตัวตน",
            body: "คอนโซลขอสองปัจจัยทุกครั้งที่ลงชื่อเข้าใช้ พาสคีย์เป็นทั้งสองอย่างพร้อมกัน: อุปกรณ์ที่มีพาสคีย์จะขอนิ้วมือ ใบหน้า หรือ PIN"
        ),
        useApp: "ใช้แอปยืนยันตัวตน",
        onlyAt: { "เบราว์เซอร์ใช้พาสคีย์ที่ชื่อเท่านั้น ไม่ใช่ที่ที่อยู่ IP หากต้องการใช้พาสคีย์ ให้เปิดคอนโซลที่ \($0)" },
        signInNow: "เพิ่มพาสคีย์แล้ว ลงชื่อเข้าใช้ด้วยพาสคีย์ตอนนี้",
        needsPasskey: "ผู้ปฏิบัติงานนี้ลงชื่อเข้าใช้ด้วยพาสคีย์",
        yours: "พาสคีย์ของคุณ",
        about: "พาสคีย์ลงชื่อเข้าใช้โดยไม่ต้องใช้รหัสผ่านและนับเป็นทั้งสองปัจจัย หากต้องการเพิ่ม ให้ลงชื่อเข้าใช้อีกครั้งก่อน",
        none: "คุณไม่มีพาสคีย์",
        name: "ชื่อพาสคีย์",
        nameHint: "เช่น อุปกรณ์ที่มีพาสคีย์ เว้นว่างได้",
        onlyFactor: "นี่คือปัจจัยที่สองเพียงอย่างเดียวของคุณ เพิ่มอย่างอื่นก่อน",
        removal: .init(
            title: "ลบพาสคีย์นี้หรือไม่",
            body: "พาสคีย์นี้จะใช้ลงชื่อเข้าใช้ไม่ได้อีก ปัจจัยอื่นของคุณยังอยู่"
        ))

    static let arabic = Self(
        choice: .init(
            title: "إضافة مفتاح مرور أو تطبيق مصادقة",
            body:
                "تطلب وحدة التحكم عاملين عند كل تسجيل دخول. مفتاح المرور كلاهما معًا: يطلب الجهاز الذي يحمله إصبعك أو وجهك أو رمز PIN."
        ),
        useApp: "استخدام تطبيق مصادقة",
        onlyAt: {
            "تستخدم المتصفحات مفاتيح المرور عند اسم فقط، لا عند عنوان IP. لاستخدام مفتاح مرور افتح وحدة التحكم عند \($0)"
        },
        signInNow: "أُضيف مفتاح المرور. سجّل الدخول به الآن.",
        needsPasskey: "يسجّل هذا المشغّل الدخول بمفتاح مرور.",
        yours: "مفاتيح مرورك",
        about: "يسجّل مفتاح المرور دخولك بلا كلمة مرور ويُحسب عاملين. لإضافة مفتاح سجّل الدخول من جديد أولًا.",
        none: "ليس لديك مفتاح مرور.",
        name: "اسم مفتاح المرور",
        nameHint: "مثل الجهاز الذي يحمله. يمكن أن يبقى فارغًا.",
        onlyFactor: "هذا عاملك الثاني الوحيد. أضف عاملًا آخر أولًا.",
        removal: .init(
            title: "إزالة مفتاح المرور هذا؟",
            body: "لن يسجّل دخولك بعد الآن. تبقى عواملك الأخرى."
        ))
}
