import Vocabulary

extension PageTexts {
    /// What an import of users at the console did, or would do.
    package struct ConsoleImport: TranslatedTexts, Sendable {
        // With a number of users.
        package var wouldImport: @Sendable (Int) -> String
        package var imported: @Sendable (Int) -> String
        package var wouldReplace: @Sendable (Int) -> String
        package var replaced: @Sendable (Int) -> String
        package var wouldKeep: @Sendable (Int) -> String
        package var kept: @Sendable (Int) -> String
        package var refused: @Sendable (Int) -> String
        /// With what they lack, which is one of the sentences below.
        package var incomplete: @Sendable (Int, String) -> String
        package var unaskedTOTP: @Sendable (Int) -> String
        /// With the position of a record in the file.
        package var record: @Sendable (Int) -> String
        // What a user lacks.
        package var totp: String
        package var totpParameters: String
        package var totpSecret: String
        package var passkeys: String
        package var takenPasskeys: String
        package var otherHash: String
        package var redactedHash: String
        // Why a record was refused.
        /// With what is wrong, which is English.
        package var malformed: @Sendable (String) -> String
        package var repeatedID: String
        package var ofTenant: String
        /// With the tenant of the record, and that of earlier ones.
        package var ofTwoTenants: @Sendable (String, String) -> String
    }
}

extension Language {
    package var consoleImportTexts: PageTexts.ConsoleImport { texts() }
}

extension PageTexts.ConsoleImport {
    static let english = Self(
        wouldImport: { $0 == 1 ? "1 user would be imported" : "\($0) users would be imported" },
        imported: { $0 == 1 ? "1 user was imported" : "\($0) users were imported" },
        wouldReplace: { "Accounts that exist and would be replaced: \($0)" },
        replaced: { "Accounts that existed and were replaced: \($0)" },
        wouldKeep: { "Accounts that exist and would be kept: \($0)" },
        kept: { "Accounts that existed and were kept: \($0)" },
        refused: { $0 == 1 ? "1 record is refused" : "\($0) records are refused" },
        incomplete: { "\($1) Users: \($0)" },
        unaskedTOTP: {
            "Users with an authenticator app for which sign-ins do not ask: \($0). Turn on authenticator apps in the settings."
        },
        record: { "Record \($0)" },
        totp: "The authenticator app is missing: the file does not have its secret. Add it again.",
        totpParameters:
            "The authenticator app is missing: it is not of SHA-1, six digits and 30 seconds. Add a new one.",
        totpSecret: "The authenticator app is missing: its secret is malformed or shorter than 80 bits. Add a new one.",
        passkeys: "Passkeys are missing: the file does not have their keys. Add new ones.",
        takenPasskeys: "Passkeys are missing: another account has them, or their keys are malformed. Add new ones.",
        otherHash: "The password is missing: its hash has a version other than 0, without parameters.",
        redactedHash: "The password is missing: the file was exported without the right to read hashes.",
        malformed: { "The record cannot be read: \($0)" },
        repeatedID: "An earlier record of the file has the same ID.",
        ofTenant: "The record belongs to a tenant. Import the users of each tenant into a tenant.",
        ofTwoTenants: { "The record belongs to the tenant \($0), and earlier ones to \($1)." })

    static let german = Self(
        wouldImport: { $0 == 1 ? "1 Benutzer würde importiert" : "\($0) Benutzer würden importiert" },
        imported: { $0 == 1 ? "1 Benutzer wurde importiert" : "\($0) Benutzer wurden importiert" },
        wouldReplace: { "Vorhandene Konten, die ersetzt würden: \($0)" },
        replaced: { "Vorhandene Konten, die ersetzt wurden: \($0)" },
        wouldKeep: { "Vorhandene Konten, die bleiben würden: \($0)" },
        kept: { "Vorhandene Konten, die geblieben sind: \($0)" },
        refused: { $0 == 1 ? "1 Eintrag wird abgelehnt" : "\($0) Einträge werden abgelehnt" },
        incomplete: { "\($1) Benutzer: \($0)" },
        unaskedTOTP: {
            "Benutzer mit einer Authenticator-App, nach der Anmeldungen nicht fragen: \($0). Schalten Sie Authenticator-Apps in den Einstellungen ein."
        },
        record: { "Eintrag \($0)" },
        totp: "Die Authenticator-App fehlt: Die Datei hat ihr Geheimnis nicht. Fügen Sie sie neu hinzu.",
        totpParameters:
            "Die Authenticator-App fehlt: Sie hat nicht SHA-1, sechs Ziffern und 30 Sekunden. Fügen Sie eine neue hinzu.",
        totpSecret:
            "Die Authenticator-App fehlt: Ihr Geheimnis ist fehlerhaft oder kürzer als 80 Bit. Fügen Sie eine neue hinzu.",
        passkeys: "Passkeys fehlen: Die Datei hat ihre Schlüssel nicht. Fügen Sie neue hinzu.",
        takenPasskeys:
            "Passkeys fehlen: Ein anderes Konto hat sie, oder ihre Schlüssel sind fehlerhaft. Fügen Sie neue hinzu.",
        otherHash: "Das Passwort fehlt: Sein Hash hat eine andere Version als 0, ohne Parameter.",
        redactedHash: "Das Passwort fehlt: Die Datei wurde ohne das Recht exportiert, Hashes zu lesen.",
        malformed: { "Der Eintrag ist nicht lesbar: \($0)" },
        repeatedID: "Ein früherer Eintrag der Datei hat dieselbe ID.",
        ofTenant:
            "Der Eintrag gehört zu einem Mandanten. Importieren Sie die Benutzer jedes Mandanten in einen Mandanten.",
        ofTwoTenants: { "Der Eintrag gehört zum Mandanten \($0), frühere zu \($1)." })

    static let french = Self(
        wouldImport: { $0 == 1 ? "1 utilisateur serait importé" : "\($0) utilisateurs seraient importés" },
        imported: { $0 == 1 ? "1 utilisateur a été importé" : "\($0) utilisateurs ont été importés" },
        wouldReplace: { "Comptes existants qui seraient remplacés : \($0)" },
        replaced: { "Comptes existants qui ont été remplacés : \($0)" },
        wouldKeep: { "Comptes existants qui seraient conservés : \($0)" },
        kept: { "Comptes existants qui ont été conservés : \($0)" },
        refused: { $0 == 1 ? "1 entrée est refusée" : "\($0) entrées sont refusées" },
        incomplete: { "\($1) Utilisateurs : \($0)" },
        unaskedTOTP: {
            "Utilisateurs avec une application d’authentification que les connexions ne demandent pas : \($0). Activez les applications d’authentification dans les réglages."
        },
        record: { "Entrée \($0)" },
        totp: "L’application d’authentification manque : le fichier n’a pas son secret. Ajoutez-la à nouveau.",
        totpParameters:
            "L’application d’authentification manque : elle n’utilise pas SHA-1, six chiffres et 30 secondes. Ajoutez-en une nouvelle.",
        totpSecret:
            "L’application d’authentification manque : son secret est mal formé ou plus court que 80 bits. Ajoutez-en une nouvelle.",
        passkeys: "Des clés d’accès manquent : le fichier n’a pas leurs clés. Ajoutez-en de nouvelles.",
        takenPasskeys:
            "Des clés d’accès manquent : un autre compte les a, ou leurs clés sont mal formées. Ajoutez-en de nouvelles.",
        otherHash: "Le mot de passe manque : son hachage a une version autre que 0, sans paramètres.",
        redactedHash: "Le mot de passe manque : le fichier a été exporté sans le droit de lire les hachages.",
        malformed: { "L’entrée est illisible : \($0)" },
        repeatedID: "Une entrée précédente du fichier a le même identifiant.",
        ofTenant:
            "L’entrée appartient à un locataire. Importez les utilisateurs de chaque locataire dans un locataire.",
        ofTwoTenants: { "L’entrée appartient au locataire \($0), et les précédentes à \($1)." })

    static let spanish = Self(
        wouldImport: { $0 == 1 ? "Se importaría 1 usuario" : "Se importarían \($0) usuarios" },
        imported: { $0 == 1 ? "Se importó 1 usuario" : "Se importaron \($0) usuarios" },
        wouldReplace: { "Cuentas existentes que se reemplazarían: \($0)" },
        replaced: { "Cuentas existentes que se reemplazaron: \($0)" },
        wouldKeep: { "Cuentas existentes que se conservarían: \($0)" },
        kept: { "Cuentas existentes que se conservaron: \($0)" },
        refused: { $0 == 1 ? "Se rechaza 1 registro" : "Se rechazan \($0) registros" },
        incomplete: { "\($1) Usuarios: \($0)" },
        unaskedTOTP: {
            "Usuarios con una aplicación de autenticación que los inicios de sesión no piden: \($0). Active las aplicaciones de autenticación en los ajustes."
        },
        record: { "Registro \($0)" },
        totp: "Falta la aplicación de autenticación: el archivo no tiene su secreto. Añádala de nuevo.",
        totpParameters:
            "Falta la aplicación de autenticación: no es de SHA-1, seis cifras y 30 segundos. Añada una nueva.",
        totpSecret:
            "Falta la aplicación de autenticación: su secreto está mal formado o tiene menos de 80 bits. Añada una nueva.",
        passkeys: "Faltan llaves de acceso: el archivo no tiene sus claves. Añada otras nuevas.",
        takenPasskeys:
            "Faltan llaves de acceso: las tiene otra cuenta, o sus claves están mal formadas. Añada otras nuevas.",
        otherHash: "Falta la contraseña: su hash tiene una versión distinta de 0, sin parámetros.",
        redactedHash: "Falta la contraseña: el archivo se exportó sin el derecho de leer los hashes.",
        malformed: { "El registro no se puede leer: \($0)" },
        repeatedID: "Un registro anterior del archivo tiene el mismo ID.",
        ofTenant: "El registro es de un inquilino. Importe los usuarios de cada inquilino en un inquilino.",
        ofTwoTenants: { "El registro es del inquilino \($0), y los anteriores de \($1)." })

    static let japanese = Self(
        wouldImport: { "\($0) 人のユーザーがインポートされます" },
        imported: { "\($0) 人のユーザーをインポートしました" },
        wouldReplace: { "置き換えられる既存のアカウント: \($0)" },
        replaced: { "置き換えた既存のアカウント: \($0)" },
        wouldKeep: { "そのまま残る既存のアカウント: \($0)" },
        kept: { "そのまま残した既存のアカウント: \($0)" },
        refused: { "拒否されるレコード: \($0)" },
        incomplete: { "\($1)ユーザー: \($0)" },
        unaskedTOTP: { "ログイン時に求められない認証アプリを持つユーザー: \($0)。設定で認証アプリを有効にしてください。" },
        record: { "レコード \($0)" },
        totp: "認証アプリがありません。ファイルにその秘密鍵がありません。もう一度追加してください。",
        totpParameters: "認証アプリがありません。SHA-1、6 桁、30 秒の方式ではありません。新しく追加してください。",
        totpSecret: "認証アプリがありません。秘密鍵の形式が正しくないか、80 ビット未満です。新しく追加してください。",
        passkeys: "パスキーがありません。ファイルにその鍵がありません。新しく追加してください。",
        takenPasskeys: "パスキーがありません。別のアカウントにあるか、鍵の形式が正しくありません。新しく追加してください。",
        otherHash: "パスワードがありません。ハッシュのバージョンが 0 以外で、パラメーターがありません。",
        redactedHash: "パスワードがありません。ファイルはハッシュを読む権限なしでエクスポートされました。",
        malformed: { "レコードを読み取れません: \($0)" },
        repeatedID: "ファイルの前のレコードに同じ ID があります。",
        ofTenant: "レコードはテナントのものです。各テナントのユーザーはテナントにインポートしてください。",
        ofTwoTenants: { "レコードはテナント \($0) のもので、前のレコードは \($1) のものです。" })

    static let korean = Self(
        wouldImport: { "가져오게 될 사용자: \($0)명" },
        imported: { "가져온 사용자: \($0)명" },
        wouldReplace: { "대체될 기존 계정: \($0)" },
        replaced: { "대체된 기존 계정: \($0)" },
        wouldKeep: { "그대로 둘 기존 계정: \($0)" },
        kept: { "그대로 둔 기존 계정: \($0)" },
        refused: { "거부되는 레코드: \($0)" },
        incomplete: { "\($1) 사용자: \($0)" },
        unaskedTOTP: { "로그인할 때 묻지 않는 인증 앱이 있는 사용자: \($0). 설정에서 인증 앱을 켜세요." },
        record: { "레코드 \($0)" },
        totp: "인증 앱이 없습니다. 파일에 비밀 키가 없습니다. 다시 추가하세요.",
        totpParameters: "인증 앱이 없습니다. SHA-1, 여섯 자리, 30초 방식이 아닙니다. 새로 추가하세요.",
        totpSecret: "인증 앱이 없습니다. 비밀 키의 형식이 잘못되었거나 80비트보다 짧습니다. 새로 추가하세요.",
        passkeys: "패스키가 없습니다. 파일에 그 키가 없습니다. 새로 추가하세요.",
        takenPasskeys: "패스키가 없습니다. 다른 계정에 있거나 키의 형식이 잘못되었습니다. 새로 추가하세요.",
        otherHash: "비밀번호가 없습니다. 해시의 버전이 0이 아니며 매개변수가 없습니다.",
        redactedHash: "비밀번호가 없습니다. 해시를 읽을 권한 없이 내보낸 파일입니다.",
        malformed: { "레코드를 읽을 수 없습니다: \($0)" },
        repeatedID: "파일의 앞선 레코드에 같은 ID가 있습니다.",
        ofTenant: "레코드가 테넌트에 속합니다. 각 테넌트의 사용자는 테넌트로 가져오세요.",
        ofTwoTenants: { "레코드는 테넌트 \($0)에 속하고, 앞선 레코드는 \($1)에 속합니다." })

    static let thai = Self(
        wouldImport: { "จะนำเข้าผู้ใช้ \($0) คน" },
        imported: { "นำเข้าผู้ใช้แล้ว \($0) คน" },
        wouldReplace: { "บัญชีที่มีอยู่ซึ่งจะถูกแทนที่: \($0)" },
        replaced: { "บัญชีที่มีอยู่ซึ่งถูกแทนที่แล้ว: \($0)" },
        wouldKeep: { "บัญชีที่มีอยู่ซึ่งจะคงไว้: \($0)" },
        kept: { "บัญชีที่มีอยู่ซึ่งคงไว้แล้ว: \($0)" },
        refused: { "ระเบียนที่ถูกปฏิเสธ: \($0)" },
        incomplete: { "\($1) ผู้ใช้: \($0)" },
        unaskedTOTP: { "ผู้ใช้ที่มีแอปยืนยันตัวตนซึ่งการลงชื่อเข้าใช้ไม่ถามถึง: \($0) เปิดใช้แอปยืนยันตัวตนในการตั้งค่า" },
        record: { "ระเบียน \($0)" },
        totp: "ไม่มีแอปยืนยันตัวตน: ไฟล์ไม่มีรหัสลับของแอป โปรดเพิ่มอีกครั้ง",
        totpParameters: "ไม่มีแอปยืนยันตัวตน: ไม่ใช่แบบ SHA-1 หกหลัก 30 วินาที โปรดเพิ่มใหม่",
        totpSecret: "ไม่มีแอปยืนยันตัวตน: รหัสลับผิดรูปแบบหรือสั้นกว่า 80 บิต โปรดเพิ่มใหม่",
        passkeys: "ไม่มีพาสคีย์: ไฟล์ไม่มีกุญแจของพาสคีย์ โปรดเพิ่มใหม่",
        takenPasskeys: "ไม่มีพาสคีย์: บัญชีอื่นใช้อยู่ หรือกุญแจผิดรูปแบบ โปรดเพิ่มใหม่",
        otherHash: "ไม่มีรหัสผ่าน: แฮชมีรุ่นที่ไม่ใช่ 0 และไม่มีพารามิเตอร์",
        redactedHash: "ไม่มีรหัสผ่าน: ไฟล์ถูกส่งออกโดยไม่มีสิทธิ์อ่านแฮช",
        malformed: { "อ่านระเบียนไม่ได้: \($0)" },
        repeatedID: "ระเบียนก่อนหน้าในไฟล์มี ID เดียวกัน",
        ofTenant: "ระเบียนเป็นของผู้เช่า โปรดนำเข้าผู้ใช้ของแต่ละผู้เช่าไปยังผู้เช่า",
        ofTwoTenants: { "ระเบียนเป็นของผู้เช่า \($0) และระเบียนก่อนหน้าเป็นของ \($1)" })

    static let arabic = Self(
        wouldImport: { "عدد المستخدمين الذين سيُستوردون: \($0)" },
        imported: { "عدد المستخدمين الذين استُوردوا: \($0)" },
        wouldReplace: { "حسابات موجودة ستُستبدل: \($0)" },
        replaced: { "حسابات موجودة استُبدلت: \($0)" },
        wouldKeep: { "حسابات موجودة ستبقى: \($0)" },
        kept: { "حسابات موجودة بقيت: \($0)" },
        refused: { "سجلات مرفوضة: \($0)" },
        incomplete: { "\($1) عدد المستخدمين: \($0)" },
        unaskedTOTP: {
            "مستخدمون لديهم تطبيق مصادقة لا يطلبه تسجيل الدخول: \($0). فعّل تطبيقات المصادقة في الإعدادات."
        },
        record: { "السجل \($0)" },
        totp: "تطبيق المصادقة غير موجود: لا يحتوي الملف على مفتاحه السري. أضفه من جديد.",
        totpParameters: "تطبيق المصادقة غير موجود: ليس من نوع SHA-1 بستة أرقام و30 ثانية. أضف تطبيقًا جديدًا.",
        totpSecret: "تطبيق المصادقة غير موجود: مفتاحه السري غير صحيح أو أقصر من 80 بت. أضف تطبيقًا جديدًا.",
        passkeys: "مفاتيح المرور غير موجودة: لا يحتوي الملف على مفاتيحها. أضف مفاتيح جديدة.",
        takenPasskeys: "مفاتيح المرور غير موجودة: هي لحساب آخر، أو مفاتيحها غير صحيحة. أضف مفاتيح جديدة.",
        otherHash: "كلمة المرور غير موجودة: لتجزئتها إصدار غير 0 دون معاملات.",
        redactedHash: "كلمة المرور غير موجودة: صُدّر الملف دون حق قراءة التجزئات.",
        malformed: { "تتعذر قراءة السجل: \($0)" },
        repeatedID: "لسجل سابق في الملف المعرّف نفسه.",
        ofTenant: "السجل لمستأجر. استورد مستخدمي كل مستأجر إلى مستأجر.",
        ofTwoTenants: { "السجل للمستأجر \($0)، والسجلات السابقة للمستأجر \($1)." })
}
