extension PageTexts {
    static let japanese = PageTexts(
        resetPassword: .init(
            title: "新しいパスワードの設定", body: "次のアドレスのアカウント：", button: "パスワードを保存",
            done: .init(
                title: "パスワードを変更しました", body: "新しいパスワードでログインできます。ほかの端末ではすべてログアウトされました。")),
        newPassword: "新しいパスワード", passwordRequirements: "パスワードの条件：",
        atLeast: { "\($0)文字以上" }, atMost: { "\($0)文字以下" },
        lowercase: "英小文字", uppercase: "英大文字", numeric: "数字", nonAlphanumeric: "記号",
        guessablePassword: "推測されやすいパスワードです。別のパスワードを入力してください。",
        verifyEmail: .init(
            title: "メールアドレスの確認", body: "ご自身のアドレスであることを確認してください：", button: "確認する",
            done: .init(title: "メールアドレスを確認しました", body: "アプリケーションにお戻りください。")),
        accountMethods: .init(
            list: "現在このアカウントには次の方法でログインできます：", none: "このアカウントにはまだ誰もログインできません。",
            password: "パスワード", emailLink: "メールのリンク", phoneNumber: "電話番号"),
        notMe: .init(
            body: "このアカウントを作成した覚えがない場合は、これらのログイン方法を削除してください。利用中の全員がログアウトされます。",
            button: "自分ではありません",
            done: .init(
                title: "ログイン方法を削除しました",
                body: "全員がログアウトされ、アドレスは確認されていません。ご自身でこのアカウントを使う場合は、パスワードを設定してください。")),
        changeEmail: .init(
            title: "メールアドレスの変更", body: "今後は次のアドレスでログインします：", button: "アドレスを変更",
            done: .init(title: "メールアドレスを変更しました", body: "新しいアドレスでもう一度ログインしてください。")),
        changedAccount: "変更を申し込んだアカウントの現在のアドレス：",
        notMyChange: .init(
            body: "ご自身のアカウントでない場合、変更するとほかの人のアカウントにこのアドレスが設定されます。",
            button: "自分ではありません",
            done: .init(
                title: "アドレスは変更されませんでした",
                body: "このアドレスはアカウントに設定されていません。ほかに必要な操作はありません。")),
        recoverEmail: .init(
            title: "メールアドレスの復元", body: "アカウントのアドレスを次のアドレスに戻します：", button: "変更を取り消す",
            done: .init(
                title: "メールアドレスを元に戻しました",
                body: "ご自身で変更していない場合、誰かがパスワードを知っている可能性があります。今すぐ変更してください。")),
        changePassword: .init(
            title: "パスワードの変更", body: "次のアドレスにリンクを送信します：", button: "新しいパスワード用のリンクを送信",
            done: .init(title: "メールをご確認ください", body: "新しいパスワード用のリンクを送信しました。")),
        removeSecondFactor: .init(
            title: "２段階認証の削除", body: "ログイン時の次の２段階認証を削除します：", button: "削除する",
            done: .init(
                title: "２段階認証を削除しました",
                body: "ご自身で追加していない場合、誰かがパスワードを知っている可能性があります。今すぐ変更してください。")),
        removePasskey: .init(
            title: "パスキーの削除", body: "次のパスキーをアカウントから削除します：", button: "削除する",
            done: .init(
                title: "パスキーを削除しました",
                body: "ご自身で追加していない場合、誰かがパスワードを知っている可能性があります。今すぐ変更してください。")),
        accountPasskeys: .init(
            list: "次のパスキーでアカウントにログインできます：", unnamed: "パスキー",
            added: { "追加日：\($0)" }, lastUsed: { "最終使用日：\($0)" },
            stay:
                "新しいパスワードを設定しても、これらのパスキーは残ります。見覚えのないものは、アプリで削除してください。",
            removal: .init(
                body:
                    "ほかの人がアドレスを変更した場合、その人がパスキーも追加した可能性があります。ご自身のパスキーは後でもう一度追加できます。",
                button: "自分ではありません。これらのパスキーも削除する",
                done: .init(
                    title: "メールアドレスを元に戻し、パスキーを削除しました",
                    body: "誰かがパスワードも知っている可能性があります。今すぐ変更してください。"))),
        recentProviders: .init(
            list:
                "過去7日間に、次の外部アカウントが連携されました。これらでもログインできます：",
            linked: { "連携日：\($0)" },
            stay:
                "新しいパスワードを設定しても、これらの連携は残ります。見覚えのないものは、アプリで解除してください。"),
        authenticatorApp: "認証アプリ",
        signIn: .init(title: "ログイン", body: "あと１クリックでログインできます。"),
        signInHasNoTarget: "ログインしたい端末でこのリンクを開いてください。", continueLabel: "続ける",
        appVerification: .init(
            title: "少々お待ちください",
            body: "プログラムがメッセージを要求していないことを確認しています。数秒後に自動でアプリに戻ります。",
            prompt: "人であることを確認すると、アプリに戻ります。",
            done: "完了しました。アプリに戻ります。", goBack: "アプリに戻る",
            failed: "確認できませんでした。", tryAgain: "もう一度試す",
            noScript: "このページには JavaScript が必要です。ブラウザーで有効にして、アプリからもう一度開いてください。",
            unknownApp: .init(
                title: "このアプリは登録されていません",
                body: "アプリに戻ってもう一度お試しください。それでもできない場合は、アプリの運営者にお知らせください。")),
        providerSignIn: .init(
            returning: .init(title: "しばらくお待ちください", body: "アプリに戻ります。"),
            canceled: .init(
                title: "ログインしていません", body: "プロバイダーでログインが中止されました。アプリでもう一度お試しください。"),
            refused: .init(
                title: "プロバイダーでログインできませんでした",
                body: "プロバイダーがエラーを返したか、応答が正しくありません。アプリに戻ってもう一度お試しください。"),
            unreachable: .init(
                title: "プロバイダーに接続できません", body: "数分後にもう一度お試しになるか、別の方法でログインしてください。"),
            notOffered: .init(title: "このログイン方法は利用できません", body: "アプリに戻って別の方法を選んでください。"),
            expired: .init(
                title: "このログインは終了しました",
                body: "10分以上かかったか、別のブラウザーで開始されました。アプリでもう一度始めてください。"),
            unknownApp: .init(
                title: "このアプリはここに登録されていません", body: "アプリの運営者がアドレスを登録する必要があります。"),
            noWindow: "アプリのウィンドウが閉じられています。このウィンドウも閉じて、アプリでもう一度始めてください。"),
        passkeyPage: .init(
            title: "パスキー",
            identifier: "メールアドレスまたは電話番号",
            signIn: "パスキーでログイン",
            password: "パスワード",
            signInWithPassword: "パスワードでログイン",
            signUpBody: "アカウントをお持ちでない場合、メールアドレスもパスワードも必要ありません。",
            signUp: "パスキーだけでアカウントを作成",
            signedInAs: "ログイン中のアカウント：",
            list: "登録済みのパスキー",
            noPasskeys: "このアカウントにはパスキーがありません。",
            name: "パスキーの名前",
            rename: "名前を変更",
            remove: "削除",
            add: "パスキーを追加",
            signOut: "ログアウト",
            noScript: "このページには JavaScript が必要です。ブラウザで有効にして、ページを再読み込みしてください。",
            removalQuestion:
                "このパスキーを削除しますか？今後はこのパスキーではログインできず、アカウントの他の方法だけでログインできます。",
            cancel: "キャンセル",
            messages: .init(
                added: "パスキーを追加しました。",
                renamed: "パスキーの名前を変更しました。",
                removed: "パスキーを削除しました。今後ログインには使えません。",
                canceled: "操作がキャンセルされました。もう一度お試しください。",
                exists: "パスワードマネージャーには、このアカウントのパスキーがすでにあります。",
                unknown: "このパスキーはどのアカウントにも登録されていません。別のパスキーを選んでください。",
                timedOut: "時間がかかりすぎました。もう一度お試しください。",
                secondFactor: "このアカウントには 2 段階目の認証が必要です。アプリからログインしてください。",
                invalidCredentials: "メールアドレスまたはパスワードが正しくありません。",
                lastMethod: "このアカウントにログインする唯一の方法です。先に別の方法を追加してください。",
                failed: "うまくいきませんでした。",
                unsupported: "このブラウザはパスキーに対応していません。")),
        hostedSignIn: .init(
            title: "ログイン",
            signUpTitle: "アカウントを作成",
            toContinue: { "\($0) に進みます" },
            email: "メールアドレス",
            newHere: "はじめての方ですか?",
            createAccount: "アカウントを作成",
            haveAccount: "アカウントをお持ちですか?",
            enterPassword: "パスワードを入力してください",
            showPassword: "パスワードを表示",
            forgotten: "パスワードを忘れた場合",
            emailLink: "メールでリンクを受け取る",
            emailCode: "メールでコードを受け取る",
            otherAccount: "別のアカウントを使う",
            or: "または",
            continueWith: { "\($0) で続ける" },
            invalidEmail: "name@example.com のようなアドレスを入力してください。",
            missingPassword: "パスワードを入力してください。",
            name: "お名前(任意)",
            emailHasAccount: "このアドレスのアカウントはすでにあります。ログインしてください。",
            otherMethod: "このアドレスのアカウントはすでにあります。これまでの方法でログインしてください。",
            resetSent: "このアドレスのアカウントがあれば、新しいパスワードのためのリンクが届きます。",
            linkSent: "ログイン用のリンクを送信しました。このブラウザーで開いてください。",
            linkEmail: "リンクが送られたアドレスです。",
            chooseFactor: "ご本人であることを確認してください",
            appCode: "認証アプリのコードを入力してください",
            smsCode: "SMSのコードを入力してください",
            smsSentTo: { "\($0) に送信しました。" },
            enterEmailCode: "メールのコードを入力してください",
            emailSentTo: { "\($0) に送信しました。" },
            codeLabel: "6桁のコード",
            confirm: "確認",
            wrongCode: "コードが違います。もう一度入力してください。",
            codeExpired: "コードの期限が切れました。新しいコードを送信してください。",
            sendAgain: "新しいコードを送信",
            useApp: "認証アプリを使う",
            useSMS: { "\($0) にSMSを送信" },
            useRecoveryCode: "リカバリーコードを使う",
            enterRecoveryCode: "リカバリーコードを入力してください",
            recoveryCode: "リカバリーコード",
            recoveryCodeHint: "各コードは1回だけ使えます。",
            verifyFirst: .init(
                title: "先にアドレスを確認してください",
                body:
                    "このアカウントはログインのときに2段階目の確認が必要です。アドレスを確認すると、すぐに設定できます。"
            ),
            sendEmail: "メールを送信",
            verificationSent: "メールを送信しました。メールのリンクを開いてから、ここで続けてください。",
            secondStepNeeded: "このアカウントはログインのときに2段階目の確認が必要です。",
            openApp: "この端末のアプリを開く",
            offerPasskey: .init(
                title: "次回はパスワードなしでログイン",
                body:
                    "パスキーがあれば、指紋、顔、または画面ロックだけでログインできます。"
            ),
            notNow: "今はしない",
            startAgain: "最初からやり直す",
            signedIn: "ログインしています",
            continueAs: { "\($0) として続ける" },
            signOutEverywhere: "すべての端末でログアウト",
            signUpClosed: "ここでは新しいアカウントを作成できません。アプリの運営者にお問い合わせください。",
            signedOut: .init(title: "ログアウトしました", body: "このページを閉じてかまいません。"),
            foreignForm: .init(title: "このページからの送信ではありません", body: "ページを長く開きすぎたか、Cookieが無効になっています。戻ってもう一度お試しください。")),
        foot: .init(help: "ヘルプ", terms: "利用規約", privacy: "プライバシー"),
        incompleteLink: .init(title: "リンクが不完全です", body: "アドレスの一部が欠けています。メッセージのリンク全体をブラウザーにコピーしてください。"),
        unknownApplication: .init(title: "別のアプリのリンクです", body: "このキーで登録されたアプリはここにはありません。送信元に新しいリンクを依頼してください。"),
        invalidLink: .init(title: "このリンクは使えません", body: "すでに使用されたか、新しいリンクが送信されています。新しいリンクを依頼してください。"),
        expiredLink: .init(title: "リンクの有効期限が切れています", body: "新しいリンクを請求してください。"),
        accountDisabled: .init(title: "このアカウントは無効です", body: "アプリケーションの運営者にお問い合わせください。"),
        emailAlreadyInUse: .init(
            title: "このアドレスはすでに使われています", body: "このメールアドレスは別のアカウントで使用されています。"),
        crossSiteForm: .init(
            title: "このページからの送信ではありません", body: "メールのリンクをもう一度開き、そのページのボタンを押してください。"),
        tooManyAttempts: .init(title: "試行回数が多すぎます", body: "しばらく待ってからもう一度お試しください。"),
        unavailable: .init(
            title: "処理できませんでした", body: "サーバー側の問題です。しばらくしてからもう一度お試しください。"))
}
